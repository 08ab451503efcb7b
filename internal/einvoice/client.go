package einvoice

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-cleanhttp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/pace"
)

const (
	defaultRequestTimeout = 30 * time.Second
	minPatience           = 20 * time.Second
	defaultUserAgent      = "terraform-provider-einvoice"
	maxRetriesAllowed     = 20

	// idleConnTimeout is shorter than that of most servers and proxies: a POST that
	// meets a connection being closed has an unknown outcome.
	idleConnTimeout = 20 * time.Second

	// idleConns is how many connections are kept: as many as a CLI may work on at
	// once. The default, one for each processor, would close most of them.
	idleConns = 50
)

// Config is what a Client needs.
type Config struct {
	// BaseURL is the service's address, ending in /v1: https, or http on loopback.
	BaseURL string
	// APIKey is the key of one company. "" is accepted: every request then fails
	// with ErrNoAPIKey before anything is sent.
	APIKey string
	// Secrets are the keys of other companies. No text of the service shows them.
	Secrets   []string
	UserAgent string
	// RequestsPerMinute and RequestsPerSecond are the share of the service's limit that this machine may use; 0 turns
	// that pacing off until the service answers a request with 429.
	RequestsPerMinute, RequestsPerSecond int
	// MaxRetries is how often a request is repeated, 0 to 20.
	MaxRetries int
	// RequestTimeout bounds one exchange with its body; 0 is 30 seconds.
	RequestTimeout time.Duration
	// Budget is how all who use the key share the limit; nil shares it within this process alone.
	Budget pace.Store
	// Operations are methods and paths of operations that the interface does not show,
	// by their names: see [CheckOperation].
	Operations map[string]string
	// Wrap goes around the transport and sees each attempt; nil is none.
	Wrap func(http.RoundTripper) http.RoundTripper
	// Dial opens connections; nil does over the network.
	Dial Dial
}

// Dial opens a connection to an address, as that of net.Dialer with a context does.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Client calls the service with one company's key. It is safe for concurrent use.
type Client struct {
	base           *url.URL
	apiKey         string
	secrets        *knownSecrets
	owner          *keyOwner
	missing        *missing
	userAgent      string
	maxRetries     int
	requestTimeout time.Duration
	maxWalk        int // bytes of all pages of a list
	operations     map[string]Operation
	named          map[string]string // the operations that [Config.Operations] names
	http           *http.Client
	pace           *pace.Limiter
	lists          map[Kind]*listCache
}

// Patience is how long to look for the effect of a request whose answer was lost; a requestTimeout of 0 is 30 seconds.
func Patience(requestTimeout time.Duration) time.Duration {
	return max(minPatience, 2*cmp.Or(requestTimeout, defaultRequestTimeout))
}

// New checks cfg and returns a client. It contacts nobody.
func New(cfg Config) (*Client, error) {
	base, err := parseBaseURL(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	if !headerSafe(cfg.APIKey) {
		return nil, errors.New("the API key holds a space or a character that no HTTP header can carry: " +
			"copy it again, without line ends")
	}
	if cfg.MaxRetries < 0 || cfg.MaxRetries > maxRetriesAllowed {
		return nil, fmt.Errorf("the number of retries must be between 0 and %d, not %d",
			maxRetriesAllowed, cfg.MaxRetries)
	}
	if cfg.RequestsPerMinute < 0 || cfg.RequestsPerSecond < 0 {
		return nil, errors.New("the requests per minute and per second must not be negative; 0 turns pacing off")
	}
	if cfg.RequestTimeout < 0 {
		return nil, errors.New("the request timeout must not be negative")
	}
	c := &Client{
		base:           base,
		apiKey:         cfg.APIKey,
		owner:          newKeyOwner(),
		missing:        &missing{turn: newTurn()},
		secrets:        &knownSecrets{keys: append([]string{cfg.APIKey}, cfg.Secrets...)},
		userAgent:      cmp.Or(cfg.UserAgent, defaultUserAgent),
		maxRetries:     cfg.MaxRetries,
		requestTimeout: cmp.Or(cfg.RequestTimeout, defaultRequestTimeout),
		maxWalk:        defaultMaxWalk,
		operations:     operationsWith(standardOperations, cfg.Operations),
		named:          cfg.Operations,
		lists:          map[Kind]*listCache{},
	}
	if strings.ContainsAny(c.userAgent, "\r\n") {
		return nil, errors.New("the user agent must be one line")
	}
	transport := cleanhttp.DefaultPooledTransport()
	transport.IdleConnTimeout = idleConnTimeout
	transport.MaxIdleConnsPerHost = idleConns
	if cfg.Dial != nil {
		transport.DialContext = cfg.Dial
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // do decides on redirects.
	}}
	if cfg.Wrap != nil {
		c.http.Transport = cfg.Wrap(transport)
	}
	kinds := []Kind{KindCustomer, KindProduct, KindWebhook, KindCompany, kindOrder}
	for _, model := range Models {
		kinds = append(kinds, kindInvoice(model))
	}
	for _, of := range kinds {
		c.lists[of] = newListCache(c, of)
	}
	c.pace = pace.New(cfg.RequestsPerMinute, cfg.RequestsPerSecond, cfg.Budget, c.Fingerprint())
	return c, nil
}

// Asking returns the client with other methods and paths of some operations, as in [Config.Operations]. Both share the
// limit of the key.
func (c *Client) Asking(operations map[string]string) *Client {
	asking := *c
	asking.operations, asking.missing = operationsWith(c.operations, operations), &missing{turn: newTurn()}
	return &asking
}

// CheckBaseURL returns what is wrong with a base URL and what to write instead.
func CheckBaseURL(s string) error {
	_, err := parseBaseURL(s)
	return err
}

// BaseURL returns the address in use, without a trailing slash.
func (c *Client) BaseURL() string { return c.base.String() }

// Fingerprint names the service and the key without showing the key: files of
// this machine (shared limit, journal) are named by it.
func (c *Client) Fingerprint() string {
	sum := sha256.Sum256([]byte(c.BaseURL() + "\x00" + c.apiKey))
	return hex.EncodeToString(sum[:])
}

// Account names the service and the key for a person who reads a plan: the host and eight hex digits of a digest of
// the key.
func (c *Client) Account() string {
	sum := sha256.Sum256([]byte(c.apiKey))
	return c.base.Host + "/" + hex.EncodeToString(sum[:4])
}

func parseBaseURL(s string) (*url.URL, error) {
	const example = "write it like https://host.example/v1"
	if strings.TrimSpace(s) == "" {
		return nil, errors.New("the base URL is empty: " + example)
	}
	u, err := url.Parse(s)
	if err != nil {
		// The text of a parse error quotes the URL, which may hold a password.
		return nil, errors.New("the base URL is not a URL: " + example)
	}
	switch {
	case u.Scheme == "" || u.Host == "" || u.Hostname() == "" || u.Opaque != "":
		return nil, errors.New("the base URL lacks https:// or a host: " + example)
	case u.User != nil:
		return nil, errors.New("the base URL must not hold a user or a password: the API key is given on its own")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("the base URL must not hold a query or a fragment: it ends in /v1")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return nil, errors.New("the base URL uses http, which would show the API key to the network: " +
			"use https (http is for loopback addresses only)")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the base URL uses %s: use https", u.Scheme)
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	if !strings.HasSuffix(path, "/v1") {
		return nil, errors.New("the base URL must end in /v1, the version of the service's interface: " + example)
	}
	if strings.HasSuffix(path, "/v1/v1") {
		return nil, errors.New("the base URL ends in /v1 twice: leave one out")
	}
	u.Host, u.Path, u.RawPath = hostOf(u), strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return u, nil
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

// headerSafe reports whether a header can carry a text. The transport finds that out too late.
func headerSafe(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// sameOrigin reports whether two URLs have the same scheme, host and port.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && hostOf(a) == hostOf(b)
}

// hostOf is the host of a URL in lower case, without the port that its scheme implies.
func hostOf(u *url.URL) string {
	return strings.TrimSuffix(strings.ToLower(u.Host), map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
}
