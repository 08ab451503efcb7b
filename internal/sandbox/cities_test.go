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
		sent     map[string]any
		resolved any
		problem  string
	}{
		{"from its code", map[string]any{"code": "3304557"}, city("3304557", "Rio de Janeiro", "rj"), ""},
		{"from its code as an integer", map[string]any{"code": 3304557}, city("3304557", "Rio de Janeiro", "rj"), ""},
		{"from name and state without accents and in capitals", map[string]any{"name": "MACEIO", "state": "AL"}, city("2704302", "Maceió", "al"), ""},
		{"from all three", map[string]any{"code": "3550308", "name": "São Paulo", "state": "sp"}, city("3550308", "São Paulo", "sp"), ""},
		{"from a code that only the state vouches for", map[string]any{"code": "3500105"}, city("3500105", "Município 3500105", "sp"), ""},
		{"from the name given to such a code", map[string]any{"name": "Município 3500105", "state": "SP"}, city("3500105", "Município 3500105", "sp"), ""},
		{"keeping the sent name of such a code", map[string]any{"code": "3500105", "name": "Adamantina"}, city("3500105", "Adamantina", "sp"), ""},
		{"abroad", map[string]any{"name": "Lisboa", "state": "EX"}, city("9999999", "Lisboa", "ex"), ""},
		{"an empty city is none", map[string]any{}, nil, ""},
		{"not from a code of no state", map[string]any{"code": "9912345"}, nil, "address.city.code: The city 9912345 was not found."},
		{"not from a code of six digits", map[string]any{"code": "355030"}, nil, "address.city.code: The city 355030 was not found."},
		{"not from a code in another state", map[string]any{"code": "3550308", "state": "RJ"}, nil, "address.city.state: The city 3550308 is not in the state RJ."},
		{"not from a name of another state", map[string]any{"name": "Maceió", "state": "sp"}, nil, "address.city.name: The city Maceió/SP was not found."},
		{"not from a name alone", map[string]any{"name": "Maceió"}, nil, "address.city.state: The field State is required when the city has no code."},
		{"not from a state alone", map[string]any{"state": "sp"}, nil, "address.city.name: The field Name is required when the city has no code."},
		{"not from a state that is none", map[string]any{"code": "3550308", "state": "xx"}, nil, "address.city.state: Error converting value \"xx\" to type 'State'. Path 'address.city.state'."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := c.in(t).do("POST", "/customers", map[string]any{"name": "A", "address": map[string]any{"city": tt.sent}})
			if tt.problem != "" {
				wantStatus(t, g, http.StatusBadRequest)
				wantSame(t, []string{tt.problem}, g.problems(), "problems")
				return
			}
			wantStatus(t, g, http.StatusOK)
			wantSame(t, tt.resolved, g.doc["address"].(map[string]any)["city"], "city")
		})
	}
}

func city(code, name, state string) map[string]any {
	return map[string]any{"code": code, "name": name, "state": state}
}

func TestCountry_isBrazilUnlessNamed(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	tests := []struct {
		name     string
		sent     any
		resolved map[string]any
	}{
		{"absent", nil, map[string]any{"code": json.Number("1058"), "name": "Brasil"}},
		{"empty", map[string]any{}, map[string]any{"code": json.Number("1058"), "name": "Brasil"}},
		{"a code sent as a string is answered as an integer", map[string]any{"code": "6076"}, map[string]any{"code": json.Number("6076"), "name": "Portugal"}},
		{"a known name has a code", map[string]any{"name": "franca"}, map[string]any{"code": json.Number("2755"), "name": "França"}},
		{"an unknown name has none", map[string]any{"name": "Nárnia"}, map[string]any{"code": nil, "name": "Nárnia"}},
		{"an unknown code keeps the name", map[string]any{"code": 3999, "name": "Japão"}, map[string]any{"code": json.Number("3999"), "name": "Japão"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc := c.in(t).must("POST", "/customers", map[string]any{"name": "A", "address": map[string]any{"country": tt.sent}})
			wantSame(t, tt.resolved, doc["address"].(map[string]any)["country"], "country")
		})
	}
}
