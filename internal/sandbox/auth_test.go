package sandbox

import (
	"net/http"
	"testing"
)

func TestKey_whoseItIsDecidesWhatItOpens(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	branch := c.s.Seed(KindCompanies, map[string]any{"name": "B"})
	doomed := c.s.Seed(KindCompanies, map[string]any{"name": "C"})
	revoked := c.s.KeyOf(branch)
	branchKey := c.s.RegenerateKey(branch)
	doomedKey := c.s.KeyOf(doomed)
	c.must("DELETE", "/companies/"+doomed, nil)
	tests := []struct {
		name, key, path string
		status          int
	}{
		{"the main company reaches companies", c.key, "/companies", http.StatusOK},
		{"another company reaches customers", branchKey, "/customers", http.StatusOK},
		{"another company is kept from companies", branchKey, "/companies", http.StatusForbidden},
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
		if got := mask(secret, visibleOfKey); got != want {
			t.Errorf("mask(%q) = %q, want %q", secret, got, want)
		}
	}
}

func TestSeed_repeatsIdentifiersAndKeys(t *testing.T) {
	t.Parallel()
	draw := func(seed int64, reads int) [3]string {
		c := newClient(t, Options{Seed: seed})
		for range reads {
			c.must("GET", "/customers", nil)
		}
		return [3]string{c.s.OwnerCompanyID(), c.s.OwnerKey(), c.must("POST", "/customers", map[string]any{"name": "A"})["id"].(string)}
	}
	if a, b := draw(7, 0), draw(7, 3); a != b {
		t.Errorf("one seed drew %v and %v", a, b)
	}
	if a, b := draw(7, 0), draw(8, 0); a[0] == b[0] || a[1] == b[1] || a[2] == b[2] {
		t.Errorf("two seeds drew %v and %v", a, b)
	}
	if a, b := draw(0, 0), draw(0, 0); a[1] == b[1] {
		t.Errorf("without a seed both drew %v", a)
	}
}
