package einvoice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/pace"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// counted is a record whose number somebody raises before each request, and what was requested of it.
type counted struct {
	number   int
	log      []string // each read with the number it shows, each change with the one it sends
	outcomes []outcome
	read     time.Time
}

func (s *counted) answer(r *http.Request) (*http.Response, error) {
	if s.number++; r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/customers") {
		return reply(200, `[]`), nil // Another request that the limit counts.
	}
	record := fmt.Sprintf(`{"id":"1","mine":"old","nextNumber":%d,"general":{"mine":"old","nextNumber":%[1]d}}`, s.number)
	if r.Method == http.MethodGet {
		s.log, s.read = append(s.log, fmt.Sprint("GET ", s.number)), time.Now()
		return reply(200, record), nil
	}
	body, _ := io.ReadAll(r.Body)
	var sent struct {
		NextNumber int
		General    struct{ NextNumber int }
	}
	_ = json.Unmarshal(body, &sent)
	change := fmt.Sprint("PUT ", max(sent.NextNumber, sent.General.NextNumber))
	if late := time.Since(s.read); late > time.Second {
		change += fmt.Sprintf(" after %.0f seconds", late.Seconds())
	}
	s.log = append(s.log, change)
	if len(s.outcomes) > 0 {
		o := s.outcomes[0]
		s.outcomes = s.outcomes[1:]
		return o(r)
	}
	return reply(200, record), nil
}

// rewrites are the changes that send back what was read, by the first element of their path.
var rewrites = map[string]func(context.Context, *Client) error{
	"companies": func(ctx context.Context, c *Client) error {
		return errorOf(c.UpdateCompany(ctx, "1", Company{Name: "n"}, Company{}, nil))
	},
	"customers": func(ctx context.Context, c *Client) error {
		return errorOf(c.UpdateCustomer(ctx, "1", Customer{Name: "n"}, Customer{}, nil))
	},
	"products": func(ctx context.Context, c *Client) error {
		return errorOf(c.UpdateProduct(ctx, "1", Product{Name: "n"}, Product{}, nil))
	},
	"webhooks": func(ctx context.Context, c *Client) error {
		return errorOf(c.UpdateWebhook(ctx, "1", "invoice.authorized", "https://x.example/"))
	},
	"settings": func(ctx context.Context, c *Client) error { return c.RewriteSettings(ctx, "1", asRead) },
}

func asRead(held *Settings) (map[string]SettingsBlock, error) { return held.Blocks, nil }

// What a change sends back was read right before, however long the client waits and whatever it repeats: a number that
// the service has raised meanwhile never goes back.
func TestRewrite_sendsWhatWasReadRightBefore(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		Name      string
		Outcomes  []said
		PerMinute int
		Others    int // requests that take a part of the limit before
		Want      string
	}](t, "rewrite_sends_what_was_read_right_before.json") {
		for noun, rewrite := range rewrites {
			bubble(t, tt.Name+" "+noun, func(t *testing.T) {
				s := &counted{outcomes: outcomesOf(tt.Outcomes)}
				c := wired(t, s.answer, func(cfg *Config) { cfg.MaxRetries, cfg.RequestsPerMinute = 2, tt.PerMinute })
				for range tt.Others {
					for _, err := range c.Customers(t.Context()) {
						must(t, err)
					}
				}
				err := rewrite(t.Context(), c)
				if isTooMany := len(tt.Outcomes) > 2; (err != nil) != isTooMany {
					t.Errorf("the error is %v", err)
				}
				got := strings.Join(s.log, ", ")
				if got = strings.TrimSuffix(got, ", GET "+fmt.Sprint(s.number)); got != tt.Want { // The answer lacks the name.
					t.Errorf("requested %s, want %s", got, tt.Want)
				}
			})
		}
	}
}

// A record that cannot be read again is not sent. What an earlier attempt may have done stays in doubt.
func TestRewrite_sendsNothingThatIsNotReadAgain(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		First, Read said
		Kind        string
	}](t, "rewrite_sends_nothing_that_is_not_read_again.json") {
		bubble(t, name, func(t *testing.T) {
			var log []string
			outcomes := []outcome{status(200, `{"id":"1","general":{}}`), tt.First.outcome(), tt.Read.outcome()}
			c := wired(t, func(r *http.Request) (*http.Response, error) {
				log = append(log, r.Method)
				return outcomes[min(len(log), 3)-1](r)
			}, func(cfg *Config) { cfg.MaxRetries = 2 })
			wantKind(t, rewrites["settings"](t.Context(), c), tt.Kind)
			expect.Is(t, strings.Join(log, " "), "GET PUT GET", "requested")
		})
	}
}

// A repetition may find out that nothing is left to send: then the first attempt was processed.
func TestRewriteSettings_sendsWhatTheChangeReturns(t *testing.T) {
	t.Parallel()
	refused := errors.New("the change is refused")
	for name, tt := range map[string]struct {
		puts []outcome
		ends error // of each call of change after the first puts
		log  string
		kind string
	}{
		"nothing to send":                  {nil, nil, "GET", ""},
		"nothing left after a lost answer": {[]outcome{reset}, nil, "GET PUT GET", ""},
		"refused":                          {nil, refused, "GET", "other"},
		"refused after a 429":              {[]outcome{status(429, ``, "Retry-After", "1")}, refused, "GET PUT GET", "other"},
		"refused after a lost answer":      {[]outcome{reset}, refused, "GET PUT GET", "ambiguous"},
	} {
		bubble(t, name, func(t *testing.T) {
			var log []string
			c := wired(t, func(r *http.Request) (*http.Response, error) {
				if log = append(log, r.Method); r.Method == http.MethodPut {
					return tt.puts[0](r)
				}
				return reply(200, `{"id":"1","general":{}}`), nil
			}, func(cfg *Config) { cfg.MaxRetries, cfg.RequestsPerSecond = 2, 2 })
			err := c.RewriteSettings(t.Context(), "1", func(held *Settings) (map[string]SettingsBlock, error) {
				if len(log) <= 2*len(tt.puts) {
					return asRead(held)
				}
				return nil, tt.ends
			})
			wantKind(t, err, tt.kind)
			if got := strings.Join(log, " "); got != tt.log || !errors.Is(err, tt.ends) || tt.kind == "other" && err != refused { //nolint:errorlint // It is unchanged.
				t.Errorf("requested %s, and it ended with %v", got, err)
			}
			begun := time.Now()
			must(t, c.RewriteSettings(t.Context(), "1", func(*Settings) (map[string]SettingsBlock, error) { return nil, nil }))
			if took := time.Since(begun); took > pace.PerSecondPause {
				t.Errorf("the permit of the write was kept for %s", took)
			}
		})
	}
}
