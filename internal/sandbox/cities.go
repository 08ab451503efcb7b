package sandbox

import (
	"strconv"
	"strings"
	"unicode"
)

// stateCodes are the IBGE codes of the states, the first two digits of every municipal code in them.
var stateCodes = map[string]string{
	"ac": "12", "al": "27", "am": "13", "ap": "16", "ba": "29", "ce": "23", "df": "53", "es": "32", "go": "52",
	"ma": "21", "mg": "31", "ms": "50", "mt": "51", "pa": "15", "pb": "25", "pe": "26", "pi": "22", "pr": "41",
	"rj": "33", "rn": "24", "ro": "11", "rr": "14", "rs": "43", "sc": "42", "se": "28", "sp": "35", "to": "17",
}

// stateAbroad is the state of a city in another country, which has one code for all.
const (
	stateAbroad = "ex"
	codeAbroad  = "9999999"
)

// municipalities are real ones: the 27 capitals and some of the most populous others.
var municipalities = []struct{ code, name string }{
	{"1200401", "Rio Branco"},
	{"2704302", "Maceió"},
	{"1302603", "Manaus"},
	{"1600303", "Macapá"},
	{"2927408", "Salvador"},
	{"2304400", "Fortaleza"},
	{"5300108", "Brasília"},
	{"3205309", "Vitória"},
	{"5208707", "Goiânia"},
	{"2111300", "São Luís"},
	{"3106200", "Belo Horizonte"},
	{"5002704", "Campo Grande"},
	{"5103403", "Cuiabá"},
	{"1501402", "Belém"},
	{"2507507", "João Pessoa"},
	{"2611606", "Recife"},
	{"2211001", "Teresina"},
	{"4106902", "Curitiba"},
	{"3304557", "Rio de Janeiro"},
	{"2408102", "Natal"},
	{"1100205", "Porto Velho"},
	{"1400100", "Boa Vista"},
	{"4314902", "Porto Alegre"},
	{"4205407", "Florianópolis"},
	{"2800308", "Aracaju"},
	{"3550308", "São Paulo"},
	{"1721000", "Palmas"},
	{"3509502", "Campinas"},
	{"3518800", "Guarulhos"},
	{"3548708", "São Bernardo do Campo"},
	{"3547809", "Santo André"},
	{"3534401", "Osasco"},
	{"3548500", "Santos"},
	{"3543402", "Ribeirão Preto"},
	{"3552205", "Sorocaba"},
	{"3549904", "São José dos Campos"},
	{"3505708", "Barueri"},
	{"3303302", "Niterói"},
	{"3301702", "Duque de Caxias"},
	{"3170206", "Uberlândia"},
	{"3118601", "Contagem"},
	{"4209102", "Joinville"},
	{"4113700", "Londrina"},
	{"4305108", "Caxias do Sul"},
	{"2910800", "Feira de Santana"},
}

// unlistedPrefix makes up the name of a municipality this list does not have.
const unlistedPrefix = "Município "

// municipality is a resolved city; its state is in lower case, as the service answers it.
type municipality struct {
	code, name, state string
}

// municipalityByCode knows every 7-digit code that begins with a state's, by its name where the list has it.
func municipalityByCode(code string) (municipality, bool) {
	if len(code) != 7 || strings.Trim(code, "0123456789") != "" {
		return municipality{}, false
	}
	for state, prefix := range stateCodes {
		if !strings.HasPrefix(code, prefix) {
			continue
		}
		for _, m := range municipalities {
			if m.code == code {
				return municipality{code, m.name, state}, true
			}
		}
		return municipality{code, unlistedPrefix + code, state}, true
	}
	return municipality{}, false
}

// municipalityByName compares without case and accents.
func municipalityByName(name, state string) (municipality, bool) {
	prefix := stateCodes[state]
	if prefix == "" {
		return municipality{}, false
	}
	for _, m := range municipalities {
		if strings.HasPrefix(m.code, prefix) && fold(m.name) == fold(name) {
			return municipality{m.code, m.name, state}, true
		}
	}
	if code, ok := strings.CutPrefix(fold(name), fold(unlistedPrefix)+" "); ok {
		if m, ok := municipalityByCode(code); ok && m.state == state {
			return m, true
		}
	}
	return municipality{}, false
}

var unaccent = strings.NewReplacer(
	"á", "a", "à", "a", "â", "a", "ã", "a", "ä", "a", "é", "e", "ê", "e", "è", "e", "í", "i", "î", "i",
	"ó", "o", "ô", "o", "õ", "o", "ö", "o", "ú", "u", "û", "u", "ü", "u", "ç", "c",
)

// fold reduces a name to lower-case letters and digits with single spaces.
func fold(name string) string {
	plain := unaccent.Replace(strings.ToLower(name))
	return strings.Join(strings.FieldsFunc(plain, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

// city reads a city field, {code} or {name, state}; the code wins where both are sent, but must lie in the state. Nil
// where it is absent or empty. In the answer the code is a string; invoices answer an integer, see cityWithNumber.
func (f *fields) city(name string) any {
	in := f.child(name)
	if in == nil {
		return nil
	}
	code, _ := in.text("code", 0).(string)
	called, _ := in.text("name", 0).(string)
	state, _ := in.text("state", 0).(string)
	state = strings.ToLower(strings.TrimSpace(state))
	if code == "" && called == "" && state == "" {
		return nil
	}
	if state != "" && state != stateAbroad && stateCodes[state] == "" {
		in.fail("state", "Error converting value \"%s\" to type 'State'. Path '%s'.", state, in.at("state"))
		return nil
	}
	if state == stateAbroad {
		return object{"code": codeAbroad, "name": called, "state": stateAbroad}
	}
	if code != "" {
		m, ok := municipalityByCode(code)
		switch {
		case !ok:
			in.fail("code", "The city %s was not found.", code)
			return nil
		case state != "" && state != m.state:
			in.fail("state", "The city %s is not in the state %s.", code, strings.ToUpper(state))
			return nil
		}
		// Of a municipality this list does not have, the caller knows the name better.
		if called != "" && strings.HasPrefix(m.name, unlistedPrefix) {
			m.name = called
		}
		return object{"code": m.code, "name": m.name, "state": m.state}
	}
	if called == "" || state == "" {
		missing := "state"
		if called == "" {
			missing = "name"
		}
		in.fail(missing, "The field %s is required when the city has no code.", pascal(missing))
		return nil
	}
	m, ok := municipalityByName(called, state)
	if !ok {
		in.fail("name", "The city %s/%s was not found.", called, strings.ToUpper(state))
		return nil
	}
	return object{"code": m.code, "name": m.name, "state": m.state}
}

// cityWithNumber is a resolved city as invoices answer it: with its code as an integer.
func cityWithNumber(city any) any {
	c, ok := city.(object)
	if !ok {
		return nil
	}
	out := clone(c)
	if n, err := strconv.Atoi(text(c, "code")); err == nil {
		out["code"] = n
	}
	return out
}
