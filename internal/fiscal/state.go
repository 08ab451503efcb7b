package fiscal

import (
	"fmt"
	"strings"
)

// State is one of the 27 states (the federal district included), or one of the
// two words that the service answers in the place of a state.
type State struct {
	// Code is the two-digit IBGE code (cUF); empty for "an" and "ex".
	Code string
	// Abbreviation is in upper case. The service answers in lower case: see
	// [NormalizeState].
	Abbreviation string
	// Name is the Portuguese name.
	Name string
	// CapitalCode is the seven-digit municipal code of the capital; empty for
	// "an" and "ex".
	CapitalCode string
	// Capital is the name of the capital; empty for "an" and "ex".
	Capital string
}

const (
	cityCodeLength = 7
	// cityCodeAbroad stands in tax documents for every city outside Brazil.
	cityCodeAbroad = "9999999"
)

var states = []State{
	{"12", "AC", "Acre", "1200401", "Rio Branco"},
	{"27", "AL", "Alagoas", "2704302", "Maceió"},
	{"13", "AM", "Amazonas", "1302603", "Manaus"},
	{"16", "AP", "Amapá", "1600303", "Macapá"},
	{"29", "BA", "Bahia", "2927408", "Salvador"},
	{"23", "CE", "Ceará", "2304400", "Fortaleza"},
	{"53", "DF", "Distrito Federal", "5300108", "Brasília"},
	{"32", "ES", "Espírito Santo", "3205309", "Vitória"},
	{"52", "GO", "Goiás", "5208707", "Goiânia"},
	{"21", "MA", "Maranhão", "2111300", "São Luís"},
	{"31", "MG", "Minas Gerais", "3106200", "Belo Horizonte"},
	{"50", "MS", "Mato Grosso do Sul", "5002704", "Campo Grande"},
	{"51", "MT", "Mato Grosso", "5103403", "Cuiabá"},
	{"15", "PA", "Pará", "1501402", "Belém"},
	{"25", "PB", "Paraíba", "2507507", "João Pessoa"},
	{"26", "PE", "Pernambuco", "2611606", "Recife"},
	{"22", "PI", "Piauí", "2211001", "Teresina"},
	{"41", "PR", "Paraná", "4106902", "Curitiba"},
	{"33", "RJ", "Rio de Janeiro", "3304557", "Rio de Janeiro"},
	{"24", "RN", "Rio Grande do Norte", "2408102", "Natal"},
	{"11", "RO", "Rondônia", "1100205", "Porto Velho"},
	{"14", "RR", "Roraima", "1400100", "Boa Vista"},
	{"43", "RS", "Rio Grande do Sul", "4314902", "Porto Alegre"},
	{"42", "SC", "Santa Catarina", "4205407", "Florianópolis"},
	{"28", "SE", "Sergipe", "2800308", "Aracaju"},
	{"35", "SP", "São Paulo", "3550308", "São Paulo"},
	{"17", "TO", "Tocantins", "1721000", "Palmas"},
}

var (
	national = State{Abbreviation: "AN", Name: "Ambiente Nacional"}
	abroad   = State{Abbreviation: "EX", Name: "Exterior"}
)

// States returns the 27 states in the order of their abbreviations.
func States() []State { return append([]State(nil), states...) }

// StateByCode finds one of the 27 states by its two-digit IBGE code.
func StateByCode(code string) (State, bool) {
	for _, s := range states {
		if s.Code == code {
			return s, true
		}
	}
	return State{}, false
}

// StateByAbbreviation finds a state by its abbreviation in any case. It knows
// "an" (national) and "ex" (abroad) besides the 27.
func StateByAbbreviation(abbreviation string) (State, bool) {
	upper := strings.ToUpper(strings.TrimSpace(abbreviation))
	for _, s := range append(States(), national, abroad) {
		if s.Abbreviation == upper {
			return s, true
		}
	}
	return State{}, false
}

// StateOfCityCode returns the state that a municipal code belongs to: the one
// of its first two digits, or "ex" for 9999999, which tax documents carry for
// a city abroad. It is false where [CheckCityCode] has an error.
func StateOfCityCode(code string) (State, bool) {
	if len(code) != cityCodeLength || !allDigits(code) {
		return State{}, false
	}
	if code == cityCodeAbroad {
		return abroad, true
	}
	return StateByCode(code[:2])
}

// CheckCityCode returns an error unless s is a municipal code by its form:
// seven digits, of which the first two are a state code. Whether there is such
// a municipality it does not know. 9999999 (abroad) passes.
func CheckCityCode(s string) error {
	if len(s) != cityCodeLength || !allDigits(s) {
		return fmt.Errorf("%q is not a municipal code of 7 digits, as 3550308 (São Paulo) is", s)
	}
	if _, ok := StateOfCityCode(s); !ok {
		return fmt.Errorf("%q begins with %s, which is no state's code; a municipal code begins with that of its state, as 3550308 (São Paulo) does with 35", s, s[:2])
	}
	return nil
}
