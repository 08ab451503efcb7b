package sandbox

import (
	_ "embed" // The list of cities.
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

// municipalities are real ones, by code and name: the 27 capitals first, then some of the most populous others.
var municipalities = func() (all []municipality) {
	for line := range strings.Lines(citiesCSV) {
		code, name, _ := strings.Cut(strings.TrimSpace(line), ",")
		all = append(all, municipality{code, name, stateOf(code)})
	}
	return all
}()

//go:embed cities.csv
var citiesCSV string

// unlistedPrefix begins the invented name of a municipality that is not in the list.
const unlistedPrefix = "Município "

// municipality is a resolved city; its state is in lower case, as the service answers it.
type municipality struct {
	code, name, state string
}

// stateOf is the state that a code begins with, or "".
func stateOf(code string) string {
	for state, prefix := range stateCodes {
		if strings.HasPrefix(code, prefix) {
			return state
		}
	}
	return ""
}

// municipalityByCode accepts every 7-digit code that begins with a state's code. Its name is the one in the list, or
// else invented.
func municipalityByCode(code string) (municipality, bool) {
	for _, m := range municipalities {
		if m.code == code {
			return m, true
		}
	}
	m := municipality{code, unlistedPrefix + code, stateOf(code)}
	return m, m.state != "" && len(code) == 7 && strings.Trim(code, "0123456789") == ""
}

// municipalityByName compares without case and accents.
func municipalityByName(name, state string) (municipality, bool) {
	for _, m := range municipalities {
		if m.state == state && fold(m.name) == fold(name) {
			return m, true
		}
	}
	code, unlisted := strings.CutPrefix(fold(name), fold(unlistedPrefix)+" ")
	m, ok := municipalityByCode(code)
	return m, unlisted && ok && m.state == state
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

// city reads a city field, {code} or {name, state}; nil if it is absent or empty. If both are sent, the code counts,
// and it must lie in the state. The answer has the code as a string; invoices have an integer, see cityWithNumber.
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
		// The list has no name for this municipality: the sent one is better.
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
	out := wired(c)
	if n, err := strconv.Atoi(text(c, "code")); err == nil {
		out["code"] = n
	}
	return out
}
