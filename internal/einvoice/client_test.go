package einvoice

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestCheckBaseURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, url, want string }{
		{"https is accepted", "https://host.example/v1", ""},
		{"a trailing slash is accepted", "https://host.example/v1/", ""},
		{"a path before v1 is accepted", "https://host.example/api/v1", ""},
		{"http on localhost is accepted", "http://localhost:8080/v1", ""},
		{"http on a loopback address is accepted", "http://127.0.0.9:8080/v1", ""},
		{"http on the IPv6 loopback is accepted", "http://[::1]:8080/v1", ""},
		{"http elsewhere is refused", "http://host.example/v1", "use https"},
		{"a host that begins like loopback is refused", "http://127.0.0.1.example/v1", "use https"},
		{"nothing is refused", " ", "is empty"},
		{"a missing scheme is refused", "host.example/v1", "https://"},
		{"another scheme is refused", "ftp://host.example/v1", "use https"},
		{"a missing version is refused", "https://host.example", "must end in /v1"},
		{"another version is refused", "https://host.example/v2", "must end in /v1"},
		{"a doubled version is refused", "https://host.example/v1/v1", "twice"},
		{"a user is refused", "https://me:hunter2@host.example/v1", "user or a password"},
		{"a query is refused", "https://host.example/v1?x=1", "query"},
		{"a fragment is refused", "https://host.example/v1#x", "fragment"},
		{"no URL at all is refused", "https://me:hunter2@host.example/\x7f", "not a URL"},
		{"a port alone is no host", "https://:443/v1", "host"},
	} {
		err := CheckBaseURL(tt.url)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		case err != nil && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("%s: the error shows the password: %v", tt.name, err)
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
	for _, tt := range []struct {
		name, masked, key string
		matches, proves   bool
	}{
		{"the visible first characters agree", "a1b2****-****", "a1b2c3d4", true, true},
		{"they differ", "a1b3****", "a1b2c3d4", false, true},
		{"nothing is visible", "********", "a1b2c3d4", false, false},
		{"nothing is shown", "", "a1b2c3d4", false, false},
		{"there is no key to compare with", "a1b2****", "", false, false},
		{"the key is shown whole", "a1b2c3d4", "a1b2c3d4", true, true},
		{"it is cut after its first characters", "a1b2", "a1b2c3d4", true, true},
		{"another key is shown whole", "a1b3c3d4", "a1b2c3d4", false, true},
		{"bullets mask as well", "a1•••", "a1b2c3d4", true, true},
		{"more is visible than there is", "a1b2c3d4e5**", "a1b2c3d4", false, true},
	} {
		matches, proves := MaskMatchesKey(tt.masked, tt.key)
		if matches != tt.matches || proves != tt.proves {
			t.Errorf("%s: matches %v, proves %v", tt.name, matches, proves)
		}
		c := mustClient(t, Config{BaseURL: "https://host.example/v1", APIKey: tt.key})
		if got, want := c.KeyMatchesMask(tt.masked), tt.matches && tt.proves; got != want {
			t.Errorf("%s: KeyMatchesMask is %v, want %v", tt.name, got, want)
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
