// Reads numbers with this provider's verdicts from stdin, asks two public libraries about the same numbers, and prints
// what differs. Run it with `npm install && node compare.mjs cities | go run . | node compare.mjs`.
import {isValidCpf, isValidCnpj, isValidNfeKey, getMunicipalities} from '@brazilian-utils/brazilian-utils'
import {isCPF, isCNPJ} from 'validation-br'

const ask = (question) => (number) => {
  try {
    return question(number)
  } catch {
    return false
  }
}
const libraries = {
  cpf: {'brazilian-utils': ask(isValidCpf), 'validation-br': ask(isCPF)},
  cnpj: {'brazilian-utils': ask((n) => isValidCnpj(n)), 'validation-br': ask(isCNPJ)},
  accessKey: {'brazilian-utils': ask(isValidNfeKey)},
}

if (process.argv[2] === 'cities') {
  getMunicipalities().forEach((city) => console.log(city.code))
  process.exit(0)
}

let input = ''
for await (const chunk of process.stdin) input += chunk
const {numbers, cities} = JSON.parse(input)

let unexplained = 0
for (const [kind, list] of Object.entries(numbers)) {
  for (const [library, question] of Object.entries(libraries[kind])) {
    const differing = list.filter(({number, valid}) => question(number) !== valid)
    unexplained += differing.length
    console.log(`${kind}: ${library}: ${list.length} numbers, ${differing.length} differ`)
    differing.slice(0, 5).forEach(({number, valid}) => console.log(`  ${number}: valid here: ${valid}`))
  }
}
const refused = cities.filter(({valid}) => !valid)
console.log(`cities: brazilian-utils: ${cities.length} codes, ${refused.length} refused here`)
refused.forEach(({number}) => console.log(`  ${number}`))
process.exit(unexplained + refused.length > 0 ? 1 : 0)
