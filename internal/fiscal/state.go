package fiscal

import (
	"maps"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

const (
	cityCodeLength = 7
	// cityCodeAbroad stands in tax documents for every city outside Brazil.
	cityCodeAbroad = "9999999"
)

// states holds the abbreviations of the 26 states and the federal district by their IBGE codes (cUF).
var states = map[string]string{
	"11": "RO", "12": "AC", "13": "AM", "14": "RR", "15": "PA", "16": "AP", "17": "TO",
	"21": "MA", "22": "PI", "23": "CE", "24": "RN", "25": "PB", "26": "PE", "27": "AL", "28": "SE", "29": "BA",
	"31": "MG", "32": "ES", "33": "RJ", "35": "SP",
	"41": "PR", "42": "SC", "43": "RS",
	"50": "MS", "51": "MT", "52": "GO", "53": "DF",
}

// hoursWest is how far the clocks of the capitals are behind UTC, where that is not
// Brasília's 3 hours. Summer time ended in 2019.
var hoursWest = map[string]int{"AC": 5, "AM": 4, "MS": 4, "MT": 4, "RO": 4, "RR": 4}

// HoursWest is how far the clock of the issuer's state is behind UTC, by the access key of an invoice: it begins with
// the code of the state, or of the city of an NFS-e, which begins alike.
func HoursWest(accessKey string) int {
	if len(accessKey) >= 2 {
		if hours, west := hoursWest[states[accessKey[:2]]]; west {
			return hours
		}
	}
	return 3
}

// besideStates are what the service answers in the place of a state: AN for the
// national environment, EX for a place abroad.
var besideStates = []string{"AN", "EX"}

// IsState reports whether s is the abbreviation of a state in any case, or "an" or
// "ex", which the service answers in the place of a state.
func IsState(s string) bool {
	upper := strings.ToUpper(strings.TrimSpace(s))
	return slices.Contains(besideStates, upper) || slices.Contains(slices.Collect(maps.Values(states)), upper)
}

// CheckCityCode returns an error unless s has the form of a municipal code: seven digits that begin with the code of a
// state, or 9999999 for a city abroad. It does not know which municipalities there are.
func CheckCityCode(s string) error {
	if len(s) != cityCodeLength || !allDigits(s) {
		return text.NewError("city_code.form", text.With{"code": s})
	}
	if states[s[:2]] == "" && s != cityCodeAbroad {
		return text.NewError("city_code.state", text.With{"code": s, "state": s[:2]})
	}
	return nil
}
