package fiscal_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

func TestStates_agreeWithThemselves(t *testing.T) {
	t.Parallel()
	states := fiscal.States()
	if len(states) != 27 {
		t.Fatalf("there are %d states, want 27", len(states))
	}
	codes, abbreviations := map[string]bool{}, map[string]bool{}
	for _, s := range states {
		if codes[s.Code] || abbreviations[s.Abbreviation] {
			t.Errorf("%s (%s) is there twice", s.Abbreviation, s.Code)
		}
		codes[s.Code], abbreviations[s.Abbreviation] = true, true
		if got, ok := fiscal.StateByCode(s.Code); !ok || got != s {
			t.Errorf("StateByCode(%q) = %v, %t, want %v", s.Code, got, ok, s)
		}
		if got, ok := fiscal.StateByAbbreviation(strings.ToLower(s.Abbreviation)); !ok || got != s {
			t.Errorf("StateByAbbreviation of %q in lower case = %v, %t, want %v", s.Abbreviation, got, ok, s)
		}
		if got, ok := fiscal.StateOfCityCode(s.CapitalCode); !ok || got != s {
			t.Errorf("StateOfCityCode(%q) = %v, %t, want %v", s.CapitalCode, got, ok, s)
		}
		if err := fiscal.CheckCityCode(s.CapitalCode); err != nil {
			t.Errorf("the capital of %s: %v", s.Name, err)
		}
	}
}

func TestStates_cannotBeChangedByACaller(t *testing.T) {
	t.Parallel()
	fiscal.States()[0].Name = "changed"
	if got := fiscal.States()[0].Name; got != "Acre" {
		t.Errorf("the first state is called %q, want Acre", got)
	}
}

func TestStateByAbbreviation_besidesTheStates(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"an": "AN", " EX ": "EX"} {
		if got, ok := fiscal.StateByAbbreviation(in); !ok || got.Abbreviation != want || got.Code != "" {
			t.Errorf("StateByAbbreviation(%q) = %v, %t, want %s without a code", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "XX", "São Paulo"} {
		if got, ok := fiscal.StateByAbbreviation(in); ok {
			t.Errorf("StateByAbbreviation(%q) = %v, want none", in, got)
		}
	}
	if got, ok := fiscal.StateByCode(""); ok {
		t.Errorf("StateByCode of nothing = %v, want none", got)
	}
}

func TestCheckCityCode(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in, want, state string
	}{
		"a capital":                       {"3550308", "", "SP"},
		"any code that begins as a state": {"3599999", "", "SP"},
		"a city abroad":                   {"9999999", "", "EX"},
		"six digits":                      {"355030", "7 digits", ""},
		"eight digits":                    {"35503080", "7 digits", ""},
		"a letter":                        {"355030A", "7 digits", ""},
		"nothing":                         {"", "7 digits", ""},
		"no state begins with 99":         {"9950308", "begins with 99", ""},
		"no state begins with 34":         {"3450308", "begins with 34", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := fiscal.CheckCityCode(tt.in)
			if tt.want == "" && err != nil {
				t.Errorf("CheckCityCode(%q) = %v, want nil", tt.in, err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("CheckCityCode(%q) = %v, want an error with %q", tt.in, err, tt.want)
			}
			got, ok := fiscal.StateOfCityCode(tt.in)
			if ok != (tt.state != "") || got.Abbreviation != tt.state {
				t.Errorf("StateOfCityCode(%q) = %v, %t, want %q", tt.in, got, ok, tt.state)
			}
		})
	}
}
