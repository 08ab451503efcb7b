package einvoice

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestCheckBaseURL(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct{ Name, Url, Want string }](t, "check_base_url.json") {
		err := CheckBaseURL(tt.Url)
		switch {
		case tt.Want == "" && err != nil:
			t.Errorf("%s: %v", tt.Name, err)
		case tt.Want != "" && (err == nil || !strings.Contains(err.Error(), tt.Want)):
			t.Errorf("%s: error %v, want one with %q", tt.Name, err, tt.Want)
		case err != nil && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("%s: the error shows the password: %v", tt.Name, err)
		}
	}
}

func TestNew_refusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"a key with a line end", func(c *Config) { c.APIKey = "secret\n" }, "API key"},
		{"a key with a letter no header carries", func(c *Config) { c.APIKey = "sécret" }, "API key"},
		{"a base URL", func(c *Config) { c.BaseURL = "nowhere" }, "base URL"},
		{"negative retries", func(c *Config) { c.MaxRetries = -1 }, "between 0 and 20"},
		{"too many retries", func(c *Config) { c.MaxRetries = 21 }, "between 0 and 20"},
		{"a negative rate", func(c *Config) { c.RequestsPerMinute = -1 }, "negative"},
		{"a negative timeout", func(c *Config) { c.RequestTimeout = -time.Second }, "negative"},
		{"a user agent of two lines", func(c *Config) { c.UserAgent = "a\r\nb" }, "one line"},
	} {
		cfg := Config{BaseURL: "https://host.example/v1", APIKey: testKey}
		tt.change(&cfg)
		_, err := New(cfg)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "cret") {
			t.Errorf("the error shows the key: %v", err)
		}
	}
}

func TestClient_normalizesItsAddress(t *testing.T) {
	t.Parallel()
	a := mustClient(t, Config{BaseURL: "https://HOST.example:443/v1///", APIKey: testKey})
	b := mustClient(t, Config{BaseURL: "https://host.example/v1", APIKey: testKey})
	other := mustClient(t, Config{BaseURL: "https://host.example/v1", APIKey: "another"})
	if a.BaseURL() != "https://host.example/v1" {
		t.Errorf("base URL %s", a.BaseURL())
	}
	if a.Fingerprint() != b.Fingerprint() {
		t.Error("two spellings of one address have two fingerprints")
	}
	if a.Fingerprint() == other.Fingerprint() {
		t.Error("two keys have one fingerprint")
	}
	if len(a.Fingerprint()) != 64 || strings.Contains(a.Fingerprint(), testKey) {
		t.Errorf("fingerprint %s", a.Fingerprint())
	}
}

func TestClient_withoutKeySendsNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := s.client(func(cfg *Config) { cfg.APIKey = "" })
	_, err := c.Customer(t.Context(), "1")
	wantKind(t, err, "no key, not sent")
	if c.KeyMatchesMask("****") {
		t.Error("no key matches a mask")
	}
}

func TestMasks(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		Name, Masked, Key string
		Matches, Proves   bool
	}](t, "masks.json") {
		matches, proves := MaskMatchesKey(tt.Masked, tt.Key)
		if matches != tt.Matches || proves != tt.Proves {
			t.Errorf("%s: matches %v, proves %v", tt.Name, matches, proves)
		}
		c := mustClient(t, Config{BaseURL: "https://host.example/v1", APIKey: tt.Key})
		if got, want := c.KeyMatchesMask(tt.Masked), tt.Matches && tt.Proves; got != want {
			t.Errorf("%s: KeyMatchesMask is %v, want %v", tt.Name, got, want)
		}
	}
	for s, want := range map[string]bool{"": false, "abc": false, "ab*c": true, "••••": true, "[hidden]": true} {
		if IsMasked(s) != want {
			t.Errorf("%q counts as masked: %v", s, !want)
		}
	}
}

// An account that shows its only company in the place of a list still tells whose key it is.
func TestAskHolder_takesASingleCompanyForTheList(t *testing.T) {
	t.Parallel()
	c := wired(t, func(*http.Request) (*http.Response, error) {
		return reply(200, `{"id":"1","federalTaxNumber":"11222333000181","apiCredentials":{"apiKey":"`+testKey[:4]+`****"}}`), nil
	})
	holder, err := c.AskKeyOwner(t.Context(), nil, func(number Text) bool { return number == "11222333000181" })
	if holder != "11222333000181" || err != nil {
		t.Errorf("AskHolder = %q, %v", holder, err)
	}
}

func TestPatience_isTwiceTheTimeoutAndAtLeast20Seconds(t *testing.T) {
	t.Parallel()
	for timeout, want := range map[time.Duration]time.Duration{
		0: time.Minute, time.Second: 20 * time.Second, 45 * time.Second: 90 * time.Second,
	} {
		if got := Patience(timeout); got != want {
			t.Errorf("%s after a timeout of %s, want %s", got, timeout, want)
		}
	}
}
