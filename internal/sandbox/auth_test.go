package sandbox

import (
	"net/http"
	"testing"
)

func TestKey_whoseItIsDecidesWhatItOpens(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	branch := c.s.Seed(KindCompanies, object{"name": "B"})
	doomed := c.s.Seed(KindCompanies, object{"name": "C"})
	revoked := c.s.KeyOf(branch)
	branchKey := c.s.RegenerateKey(branch)
	doomedKey := c.s.KeyOf(doomed)
	c.must("DELETE", "/companies/"+doomed, nil)
	tests := []struct {
		name, key, path string
		status          int
	}{
		{"another company is kept from itself", branchKey, "/companies/" + branch, http.StatusForbidden},
		{"a revoked key opens nothing", revoked, "/customers", http.StatusForbidden},
		{"the key of a deleted company opens nothing", doomedKey, "/customers", http.StatusForbidden},
		{"a wrong key opens nothing", "wrong", "/customers", http.StatusForbidden},
		{"no key opens nothing", "", "/customers", http.StatusForbidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := (&client{t: t, s: c.s, key: tt.key}).do("GET", tt.path, nil)
			wantStatus(t, g, tt.status)
			if tt.status == http.StatusForbidden && len(g.problems()) != 1 {
				t.Errorf("body = %s, want one message", g.raw)
			}
		})
	}
}

func TestMask_showsFourCharacters(t *testing.T) {
	t.Parallel()
	for secret, want := range map[string]string{"": "", "abcd": "****", "abcdef": "abcd**"} {
		wantSame(t, want, mask(secret, visibleOfKey), "mask(%q)", secret)
	}
}
