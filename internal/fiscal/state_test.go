package fiscal_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

func TestIsState(t *testing.T) {
	t.Parallel()
	states := strings.Fields("AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO")
	for _, s := range append(states, "sp", " Rj ", "an", " EX ") {
		if !fiscal.IsState(s) {
			t.Errorf("%q is no state", s)
		}
	}
	for _, s := range []string{"", "XX", "São Paulo", "35"} {
		if fiscal.IsState(s) {
			t.Errorf("%q is a state", s)
		}
	}
}

func TestCheckCityCode(t *testing.T) {
	t.Parallel()
	// The capital of each state, in the order of their codes.
	capitals := strings.Fields("1100205 1200401 1302603 1400100 1501402 1600303 1721000 2111300 2211001 2304400 2408102 2507507 2611606 2704302 " +
		"2800308 2927408 3106200 3205309 3304557 3550308 4106902 4205407 4314902 5002704 5103403 5208707 5300108")
	for _, code := range append(capitals, "3599999", "9999999") {
		if err := fiscal.CheckCityCode(code); err != nil {
			t.Error(err)
		}
	}
	for code, want := range map[string]string{
		"355030": "7 digits", "35503080": "7 digits", "355030A": "7 digits", "": "7 digits", "9950308": "begins with 99", "3450308": "begins with 34",
	} {
		if err := fiscal.CheckCityCode(code); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("CheckCityCode(%q) = %v, want an error with %q", code, err, want)
		}
	}
}

func TestHoursWest(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]int{
		"12260111222333000181550010000000011000000014": 5, "13": 4, "1302603": 4, "35": 3, "53": 3, "99": 3, "1": 3, "": 3,
	} {
		if got := fiscal.HoursWest(key); got != want {
			t.Errorf("HoursWest(%q) = %d, want %d", key, got, want)
		}
	}
}
