package sandbox

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func TestMunicipalities_codesHaveTheirCheckDigit(t *testing.T) {
	t.Parallel()
	for _, m := range municipalities {
		sum := 0
		for i, digit := range m.code[:6] {
			n := int(digit-'0') * (1 + i%2)
			sum += n/10 + n%10
		}
		wantSame(t, byte('0'+(10-sum%10)%10), m.code[6], "check digit of %s %s", m.code, m.name)
	}
}

func TestMunicipalities_everyStateHasOne(t *testing.T) {
	t.Parallel()
	for state, prefix := range stateCodes {
		found := false
		for _, m := range municipalities {
			found = found || strings.HasPrefix(m.code, prefix)
		}
		if !found {
			t.Errorf("no municipality of %s", state)
		}
	}
	wantSame(t, 27, len(stateCodes), "number of states")
}

func TestCity_isResolvedFromEitherForm(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	tests := []struct {
		name     string
		sent     object
		resolved any
		problem  string
	}{
		{"from its code", object{"code": "3304557"}, city("3304557", "Rio de Janeiro", "rj"), ""},
		{"from its code as an integer", object{"code": 3304557}, city("3304557", "Rio de Janeiro", "rj"), ""},
		{"from name and state without accents and in capitals", object{"name": "MACEIO", "state": "AL"}, city("2704302", "Maceió", "al"), ""},
		{"from all three", object{"code": "3550308", "name": "São Paulo", "state": "sp"}, city("3550308", "São Paulo", "sp"), ""},
		{"from a code that only the state vouches for", object{"code": "3500105"}, city("3500105", "Município 3500105", "sp"), ""},
		{"from the name given to such a code", object{"name": "Município 3500105", "state": "SP"}, city("3500105", "Município 3500105", "sp"), ""},
		{"keeping the sent name of such a code", object{"code": "3500105", "name": "Adamantina"}, city("3500105", "Adamantina", "sp"), ""},
		{"abroad", object{"name": "Lisboa", "state": "EX"}, city("9999999", "Lisboa", "ex"), ""},
		{"an empty city is none", object{}, nil, ""},
		{"not from a code of no state", object{"code": "9912345"}, nil, "address.city.code: The city 9912345 was not found."},
		{"not from a code of six digits", object{"code": "355030"}, nil, "address.city.code: The city 355030 was not found."},
		{"not from a code in another state", object{"code": "3550308", "state": "RJ"}, nil, "address.city.state: The city 3550308 is not in the state RJ."},
		{"not from a name of another state", object{"name": "Maceió", "state": "sp"}, nil, "address.city.name: The city Maceió/SP was not found."},
		{"not from a name alone", object{"name": "Maceió"}, nil, "address.city.state: The field State is required when the city has no code."},
		{"not from a state alone", object{"state": "sp"}, nil, "address.city.name: The field Name is required when the city has no code."},
		{"not from a state that is none", object{"code": "3550308", "state": "xx"}, nil, "address.city.state: Error converting value \"xx\" to type 'State'. Path 'address.city.state'."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := c.in(t).do("POST", "/customers", object{"name": "A", "address": object{"city": tt.sent}})
			if tt.problem != "" {
				wantStatus(t, g, http.StatusBadRequest)
				wantSame(t, []string{tt.problem}, g.problems(), "problems")
				return
			}
			wantStatus(t, g, http.StatusOK)
			wantSame(t, tt.resolved, g.doc["address"].(object)["city"], "city")
		})
	}
}

func city(code, name, state string) object {
	return object{"code": code, "name": name, "state": state}
}

func TestCountry_isBrazilUnlessNamed(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	tests := []struct {
		name     string
		sent     any
		resolved object
	}{
		{"absent", nil, object{"code": json.Number("1058"), "name": "Brasil"}},
		{"empty", object{}, object{"code": json.Number("1058"), "name": "Brasil"}},
		{"a code sent as a string is answered as an integer", object{"code": "6076"}, object{"code": json.Number("6076"), "name": "Portugal"}},
		{"a known name has a code", object{"name": "franca"}, object{"code": json.Number("2755"), "name": "França"}},
		{"an unknown name has none", object{"name": "Nárnia"}, object{"code": nil, "name": "Nárnia"}},
		{"an unknown code keeps the name", object{"code": 3999, "name": "Japão"}, object{"code": json.Number("3999"), "name": "Japão"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc := c.in(t).must("POST", "/customers", object{"name": "A", "address": object{"country": tt.sent}})
			wantSame(t, tt.resolved, doc["address"].(object)["country"], "country")
		})
	}
}
