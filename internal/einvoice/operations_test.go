package einvoice

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// asking is a client, and the arguments of what it is asked for.
type asking struct {
	*Client
	ctx       context.Context
	arguments []json.RawMessage
}

func (s asking) raw(i int) json.RawMessage {
	if i >= len(s.arguments) {
		return nil
	}
	return s.arguments[i]
}

func (s asking) text(i int) string { return argument[string](s, i) }

// argument is one that may be left out.
func argument[T any](s asking, i int) (v T) {
	if raw := s.raw(i); raw != nil {
		if err := json.Unmarshal(raw, &v); err != nil {
			panic(fmt.Sprintf("argument %d is %s: %v", i, raw, err))
		}
	}
	return v
}

// do are the operations of a client, by their names in the specification's table or beside it.
var do = map[string]func(s asking) (any, error){
	"get_customer":    func(s asking) (any, error) { return s.Customer(s.ctx, s.text(0)) },
	"list_customers":  func(s asking) (any, error) { return all(s.Customers(s.ctx)) },
	"create_customer": func(s asking) (any, error) { return s.CreateCustomer(s.ctx, argument[Customer](s, 0), s.raw(1)) },
	"update_customer": func(s asking) (any, error) {
		return s.UpdateCustomer(s.ctx, s.text(0), argument[Customer](s, 1), argument[Customer](s, 2), s.raw(3))
	},
	"delete_customer": func(s asking) (any, error) { return nil, s.Delete(s.ctx, KindCustomer, s.text(0)) },
	"get_product":     func(s asking) (any, error) { return s.Product(s.ctx, s.text(0)) },
	"list_products":   func(s asking) (any, error) { return all(s.Products(s.ctx)) },
	"create_product":  func(s asking) (any, error) { return s.CreateProduct(s.ctx, argument[Product](s, 0), s.raw(1)) },
	"update_product": func(s asking) (any, error) {
		return s.UpdateProduct(s.ctx, s.text(0), argument[Product](s, 1), argument[Product](s, 2), s.raw(3))
	},
	"get_company": func(s asking) (any, error) { return withKey(s.Company(s.ctx, s.text(0))) },
	"list_companies": func(s asking) (any, error) {
		list, err := all(s.Companies(s.ctx))
		return shownWith(list, func(v *Company) any { return v.APIKey }), err
	},
	"create_company": func(s asking) (any, error) {
		company := argument[Company](s, 0)
		company.APIKey = "not sent"
		return withKey(s.CreateCompany(s.ctx, company, s.raw(1)))
	},
	"update_company": func(s asking) (any, error) {
		return s.UpdateCompany(s.ctx, s.text(0), argument[Company](s, 1), argument[Company](s, 2), s.raw(3))
	},
	"get_settings": func(s asking) (any, error) { return s.CompanySettings(s.ctx, s.text(0)) },
	"update_settings": func(s asking) (any, error) {
		return nil, s.RewriteSettings(s.ctx, s.text(0), func(*Settings) (map[string]SettingsBlock, error) {
			return argument[map[string]SettingsBlock](s, 1), nil
		})
	},
	"list_certificates": func(s asking) (any, error) { return all(s.Certificates(s.ctx, s.text(0))) },
	"create_certificate": func(s asking) (any, error) {
		return s.UploadCertificate(s.ctx, s.text(0), []byte(s.text(1)), s.text(2))
	},
	"get_webhook":    func(s asking) (any, error) { return s.Webhook(s.ctx, s.text(0)) },
	"list_webhooks":  func(s asking) (any, error) { return all(s.Webhooks(s.ctx)) },
	"create_webhook": func(s asking) (any, error) { return s.CreateWebhook(s.ctx, s.text(0), s.text(1)) },
	"update_webhook": func(s asking) (any, error) {
		return s.UpdateWebhook(s.ctx, s.text(0), s.text(1), s.text(2))
	},
	"enable_webhook":     func(s asking) (any, error) { return s.SetWebhookEnabled(s.ctx, s.text(0), true) },
	"disable_webhook":    func(s asking) (any, error) { return s.SetWebhookEnabled(s.ctx, s.text(0), false) },
	"get_webhook_secret": func(s asking) (any, error) { return s.WebhookSecret(s.ctx) },
	"rotate_webhook_secret": func(s asking) (any, error) {
		return s.RotateWebhookSecret(s.ctx, argument[*int64](s, 0), nil)
	},

	"get_order": func(s asking) (any, error) { return s.Order(s.ctx, s.text(0), s.text(1)) },
	"refresh_order": func(s asking) (any, error) {
		return s.RefreshOrder(s.ctx, s.text(0), s.text(1), func(*Order) bool { return false })
	},
	"create_order": func(s asking) (any, error) {
		v, err := s.CreateOrder(s.ctx, argument[Order](s, 0), s.raw(1), nil)
		if err == nil && len(v.Invoices) > 0 {
			return shownWith([]*Order{v}, func(v *Order) any { return v.Invoices[0].Raw }), nil
		}
		return v, err
	},
	"update_order_status": func(s asking) (any, error) { return s.SetOrderStatus(s.ctx, s.text(0), s.text(1), nil) },
	"issue_order_invoices": func(s asking) (any, error) {
		return nil, s.IssueOrderInvoices(s.ctx, s.text(0), s.text(1), nil)
	},

	"create_invoice": func(s asking) (any, error) { return s.CreateInvoice(s.ctx, s.text(0), s.raw(1), nil) },
	"get_invoice":    func(s asking) (any, error) { return s.Invoice(s.ctx, s.text(0), s.text(1)) },
	"list_invoices": func(s asking) (any, error) {
		return all(s.Invoices(s.ctx, s.text(0), argument[InvoiceFilter](s, 1)))
	},
	"issue_invoice":        func(s asking) (any, error) { return s.IssueInvoice(s.ctx, s.text(0), s.text(1), nil) },
	"check_invoice_status": func(s asking) (any, error) { return s.CheckInvoiceStatus(s.ctx, s.text(0), s.text(1)) },
	"cancel_invoice": func(s asking) (any, error) {
		return s.CancelInvoice(s.ctx, s.text(0), s.text(1), s.text(2), nil)
	},
	"correct_invoice": func(s asking) (any, error) { return s.CorrectInvoice(s.ctx, s.text(0), s.text(1), nil) },
	"get_invoice_document": func(s asking) (any, error) {
		document, err := s.InvoiceDocument(s.ctx, s.text(0), s.text(1), s.text(2), "")
		return string(document), err
	},
	"list_disablements": func(s asking) (any, error) {
		return all(s.Disablements(s.ctx, s.text(0), argument[DisablementFilter](s, 1)))
	},
	"list_cities": func(s asking) (any, error) {
		list, err := all(s.ServiceCities(s.ctx, s.text(0), s.text(1)))
		return shownWith(list, func(v *ServiceCity) any {
			if v.Provider == nil {
				return v.NationalRegimes
			}
			return []any{v.NationalRegimes, v.Provider.Options}
		}), err
	},
	"get_payload_example": func(s asking) (any, error) { return s.PayloadExamples(s.ctx, s.text(0)) },

	"list_inbound_invoices": func(s asking) (any, error) {
		return all(s.InboundInvoices(s.ctx, argument[InboundFilter](s, 0)))
	},
	"get_inbound_sync_status": func(s asking) (any, error) { return s.InboundSyncStatus(s.ctx) },
	"get_inbound_document": func(s asking) (any, error) {
		document, err := s.InboundDocument(s.ctx, s.text(0), s.text(1), s.text(2))
		return string(document), err
	},
	"manifest_inbound_invoice": func(s asking) (any, error) {
		return s.ManifestInbound(s.ctx, s.text(0), s.text(1), s.text(2), nil)
	},
	"sync_inbound": func(s asking) (any, error) {
		err := s.SyncInbound(s.ctx)
		if failure := (*Error)(nil); errors.As(err, &failure) && failure.RetryAfter > 0 {
			return failure.RetryAfter.String(), err
		}
		return nil, err
	},

	"read_failure": func(s asking) (any, error) {
		var failure *Error
		_, err := s.Invoice(s.ctx, ModelService, "1")
		if !errors.As(err, &failure) {
			return nil, err
		}
		return struct {
			Messages      []FieldMessage `json:",omitempty"`
			Text, TraceID string         `json:",omitempty"`
		}{failure.Messages, failure.Text, failure.TraceID}, err
	},
}

// shownWith adds to each object what its JSON leaves out.
func shownWith[T any](list []*T, more func(*T) any) (shown []any) {
	for _, v := range list {
		shown = append(shown, v, more(v))
	}
	return shown
}

func withKey(v *Company, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return shownWith([]*Company{v}, func(v *Company) any { return v.APIKey }), nil
}

// ask does what a line says: an operation's name and its arguments in JSON.
func ask(t *testing.T, c *Client, line string) (any, error) {
	t.Helper()
	name, rest, _ := strings.Cut(line, " ")
	s := asking{Client: c, ctx: t.Context()}
	for arguments := json.NewDecoder(strings.NewReader(rest)); arguments.More(); {
		var raw json.RawMessage
		must(t, arguments.Decode(&raw))
		s.arguments = append(s.arguments, raw)
	}
	if do[name] == nil {
		t.Fatalf("there is no operation %q", name)
	}
	return do[name](s)
}

// script is a case of a file of testdata/operations, which testdata/operations/README.md explains.
type script struct {
	name, do          string
	maxRetries        int
	exchanges         []exchange
	want, kind, error string
	raw               *string
}

// through is a range of objects, as a list of many is written.
var through = regexp.MustCompile(`\{"id":"(\w)(\d+)"\} to \{"id":"\w(\d+)"\}`)

func scriptsOf(t *testing.T, file string) (scripts []*script) {
	t.Helper()
	data, err := os.ReadFile(file)
	must(t, err)
	text := through.ReplaceAllStringFunc(string(data), func(s string) string {
		found := through.FindStringSubmatch(s)
		first, _ := strconv.Atoi(found[2])
		last, _ := strconv.Atoi(found[3])
		var ids []string
		for i := first; i <= last; i++ {
			ids = append(ids, fmt.Sprintf(`{"id":"%s%d"}`, found[1], i))
		}
		return strings.Join(ids, ",")
	})
	for block := range strings.SplitSeq("\n"+text, "\n# ") {
		if name, lines, isCase := strings.Cut(block, "\n"); isCase && name != "" {
			s := &script{name: name}
			for line := range strings.Lines(lines) {
				s.add(t, strings.TrimSuffix(line, "\n"))
			}
			scripts = append(scripts, s)
		}
	}
	if len(scripts) == 0 {
		t.Fatalf("%s has no cases", file)
	}
	return scripts
}

func (s *script) add(t *testing.T, line string) {
	t.Helper()
	mark, rest, _ := strings.Cut(line, " ")
	word, more, _ := strings.Cut(rest, " ")
	last := &exchange{}
	if n := len(s.exchanges); n > 0 {
		last = &s.exchanges[n-1]
	}
	var err error
	switch mark {
	case "":
	case ">":
		path, body, _ := strings.Cut(more, " ")
		s.exchanges = append(s.exchanges, exchange{method: word, path: path, body: body, header: map[string]string{}})
	case "<":
		last.answer = more
		last.status, err = strconv.Atoi(word)
	case `<"`:
		last.answer, err = strconv.Unquote(more)
		must(t, err)
		last.status, err = strconv.Atoi(word)
	case "<:":
		last.header[strings.TrimSuffix(word, ":")] = more
	case "=":
		s.want = rest
	case "=raw":
		s.raw = &rest
	case "!":
		s.kind = rest
	case "~":
		s.error = rest
	case "retries":
		s.maxRetries, err = strconv.Atoi(rest)
	default:
		s.do = line
	}
	must(t, err)
}

// asJSON is a result as JSON, in the order of its fields, and the object of the service that it was read from.
func asJSON(t *testing.T, result any) (text, raw string) {
	t.Helper()
	if v := reflect.ValueOf(result); !v.IsValid() || v.IsZero() {
		return "", ""
	} else if v = reflect.Indirect(v); v.Kind() == reflect.Struct && v.FieldByName("Raw").IsValid() {
		raw = string(v.FieldByName("Raw").Bytes())
	}
	if s, ok := result.(string); ok {
		return strconv.Quote(s), ""
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	must(t, encoder.Encode(result))
	return strings.TrimSuffix(b.String(), "\n"), raw
}

func TestOperations_askAndReadWhatTheSpecificationSays(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/operations/*.txt")
	must(t, err)
	for _, file := range files {
		for _, s := range scriptsOf(t, file) {
			rows.Case(t, filepath.Base(file)+"/"+s.name, func(t *testing.T) {
				c := scripted(t, s.exchanges, func(cfg *Config) { cfg.MaxRetries = s.maxRetries })
				result, err := ask(t, c, s.do)
				wantKind(t, err, s.kind)
				if err != nil {
					expect.Contains(t, err.Error(), s.error)
				}
				got, raw := asJSON(t, result)
				expect.Same(t, s.want, got)
				if s.raw != nil {
					expect.Same(t, *s.raw, raw)
				} else if raw != "" {
					expect.Same(t, s.exchanges[len(s.exchanges)-1].answer, raw)
				}
			})
		}
	}
}

// A deletion that is missing only forgets, and check_invoice_status is done without.
func TestWrites_nameTheOperationThatIsMissing(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/writes.txt")
	must(t, err)
	tried := map[string]bool{}
	for line := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n") {
		name, arguments, _ := strings.Cut(line, " ")
		tried[name] = true
		o := Operations[slices.IndexFunc(Operations, func(o Operation) bool { return o.Name == name })]
		path := o.Path
		for _, model := range Models {
			if strings.HasPrefix(arguments, strconv.Quote(model)) {
				path = strings.ReplaceAll(path, "{model}", modelWords[model])
			}
		}
		for _, status := range []int{404, 405, 501} {
			rows.Case(t, fmt.Sprint(line, " ", status), func(t *testing.T) {
				s := sandbox.Start(t, sandbox.Options{})
				received := s.SeedInbound(s.OwnerCompanyID(), nil)
				line := strings.NewReplacer("$owner", s.OwnerCompanyID(), "$received", received).Replace(line)
				for kind, held := range map[string]map[string]any{
					sandbox.KindCustomers: {"name": "Maria"}, sandbox.KindProducts: {"name": "Pão"},
					sandbox.KindWebhooks:        {"event": "invoice.rejected", "url": "https://example.com/"},
					sandbox.KindOrders:          {"transactionId": "t-0"},
					sandbox.KindProductInvoices: {"status": "authorized"}, sandbox.KindServiceInvoices: {"status": "authorized"},
					sandbox.KindConsumerInvoices: {"status": "authorized"},
				} {
					line = strings.ReplaceAll(line, "$"+kind, s.Seed(kind, held))
				}
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: o.Method, Path: path, Status: status, Times: -1})
				failure := (*Error)(nil)
				_, err := ask(t, ownerOf(t, s), line)
				if !errors.Is(err, ErrMissing) || !errors.As(err, &failure) || failure.Missing != name {
					t.Errorf("it ends with %v", err)
				}
			})
		}
	}
	for _, o := range Operations {
		if o.Method != http.MethodGet && o.Method != http.MethodDelete && o.Name != "check_invoice_status" && !tried[o.Name] {
			t.Errorf("%s is not tried", o.Name)
		}
	}
}
