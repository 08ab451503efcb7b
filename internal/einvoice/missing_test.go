package einvoice

import (
	"context"
	"encoding/csv"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// lacking is a client of a service with one object of each kind.
type lacking struct {
	*Client
	owner, customer, product, webhook, order, received string
	invoices                                           map[string]string // by model
}

// writes carry out each operation that changes something. A deletion that is missing only
// forgets, and check_invoice_status is done without.
func writes(ctx context.Context) map[string]func(*lacking) (any, error) {
	const reason = "Venda desfeita pelo cliente"
	held, event, url := []byte(`{}`), "invoice.rejected", "https://example.com/b"
	customer, product, company := Customer{Name: "Ana"}, Product{Name: "Broa"}, Company{Name: "Padaria"}
	return map[string]func(*lacking) (any, error){
		"create_customer": func(s *lacking) (any, error) { return s.CreateCustomer(ctx, customer, nil) },
		"update_customer": func(s *lacking) (any, error) {
			return s.UpdateCustomer(ctx, &Customer{ID: Text(s.customer), Raw: held}, customer, Customer{}, nil)
		},
		"create_product": func(s *lacking) (any, error) { return s.CreateProduct(ctx, product, nil) },
		"update_product": func(s *lacking) (any, error) {
			return s.UpdateProduct(ctx, &Product{ID: Text(s.product), Raw: held}, product, Product{}, nil)
		},
		"create_company": func(s *lacking) (any, error) { return s.CreateCompany(ctx, company, nil) },
		"update_company": func(s *lacking) (any, error) {
			return s.UpdateCompany(ctx, s.owner, company, Company{}, nil)
		},
		"update_settings": func(s *lacking) (any, error) {
			return nil, s.PutCompanySettings(ctx, s.owner, map[string]SettingsBlock{"general": {}}, nil)
		},
		"create_certificate": func(s *lacking) (any, error) {
			return s.UploadCertificate(ctx, s.owner, []byte("file"), "password")
		},
		"create_webhook": func(s *lacking) (any, error) { return s.CreateWebhook(ctx, event, url) },
		"update_webhook": func(s *lacking) (any, error) {
			return s.UpdateWebhook(ctx, &Webhook{ID: Text(s.webhook), Raw: held}, event, url)
		},
		"enable_webhook":        func(s *lacking) (any, error) { return s.SetWebhookEnabled(ctx, s.webhook, true) },
		"disable_webhook":       func(s *lacking) (any, error) { return s.SetWebhookEnabled(ctx, s.webhook, false) },
		"rotate_webhook_secret": func(s *lacking) (any, error) { return s.RotateWebhookSecret(ctx, nil, nil) },
		"create_order": func(s *lacking) (any, error) {
			return s.CreateOrder(ctx, Order{TransactionID: "t-1"}, nil, nil)
		},
		"update_order_status":  func(s *lacking) (any, error) { return s.SetOrderStatus(ctx, s.order, "canceled", nil) },
		"issue_order_invoices": func(s *lacking) (any, error) { return nil, s.IssueOrderInvoices(ctx, s.order, "", nil) },
		"create_invoice": eachModel(func(s *lacking, model string) (any, error) {
			return s.CreateInvoice(ctx, model, held, nil)
		}),
		"cancel_invoice": eachModel(func(s *lacking, model string) (any, error) {
			return s.CancelInvoice(ctx, model, s.invoices[model], reason, nil)
		}),
		"issue_invoice": eachModel(func(s *lacking, model string) (any, error) {
			return s.IssueInvoice(ctx, model, s.invoices[model], nil)
		}),
		"correct_invoice": func(s *lacking) (any, error) {
			return s.CorrectInvoice(ctx, s.invoices[ModelProduct], reason, nil)
		},
		"manifest_inbound_invoice": func(s *lacking) (any, error) {
			return s.ManifestInbound(ctx, s.received, ManifestAcknowledged, "", nil)
		},
		"sync_inbound": func(s *lacking) (any, error) { return nil, s.SyncInbound(ctx) },
	}
}

// eachModel returns the first error that names no operation, else the last one.
func eachModel(write func(*lacking, string) (any, error)) func(*lacking) (any, error) {
	return func(s *lacking) (_ any, err error) {
		for _, model := range Models {
			if _, err = write(s, model); !errors.Is(err, ErrMissing) {
				break
			}
		}
		return nil, err
	}
}

func TestWrites_nameTheOperationThatIsMissing(t *testing.T) {
	t.Parallel()
	for _, o := range Operations {
		write := writes(t.Context())[o.Name]
		if o.Method == http.MethodGet || o.Method == http.MethodDelete && write == nil || o.Name == "check_invoice_status" {
			continue
		}
		if write == nil {
			t.Errorf("%s is not tried", o.Name)
			continue
		}
		for _, status := range []int{404, 405, 501} {
			t.Run(o.Name+" "+strconv.Itoa(status), func(t *testing.T) {
				t.Parallel()
				s := sandbox.Start(t, sandbox.Options{})
				held := &lacking{
					Client: ownerOf(t, s), owner: s.OwnerCompanyID(),
					customer: s.Seed(sandbox.KindCustomers, map[string]any{"name": "Maria"}),
					product:  s.Seed(sandbox.KindProducts, map[string]any{"name": "Pão"}),
					webhook:  s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.rejected", "url": "https://example.com/"}),
					order:    s.Seed(sandbox.KindOrders, map[string]any{"transactionId": "t-0"}),
					received: s.SeedInbound(s.OwnerCompanyID(), map[string]any{}),
					invoices: map[string]string{
						ModelProduct:  s.Seed(sandbox.KindProductInvoices, map[string]any{"status": "authorized"}),
						ModelConsumer: s.Seed(sandbox.KindConsumerInvoices, map[string]any{"status": "authorized"}),
						ModelService:  s.Seed(sandbox.KindServiceInvoices, map[string]any{"status": "authorized"}),
					},
				}
				for model := range strings.SplitSeq(o.Models, " ") {
					s.Inject(sandbox.Fault{
						Kind: sandbox.FaultStatus, Method: o.Method, Path: strings.ReplaceAll(o.Path, "{model}", model),
						Status: status, Times: -1,
					})
				}
				failure := (*Error)(nil)
				_, err := write(held)
				if !errors.Is(err, ErrMissing) || !errors.As(err, &failure) || failure.Missing != o.Name {
					t.Errorf("it ends with %v, want one that names %s", err, o.Name)
				}
			})
		}
	}
}

func TestOperations_areATable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, o := range Operations {
		if seen[o.Name] {
			t.Errorf("%s is there twice", o.Name)
		}
		seen[o.Name] = true
		if route := o.Method + " " + o.Path; seen[route] {
			t.Errorf("%s is there twice", route)
		} else {
			seen[route] = true
		}
		expect.Is(t, strings.Contains(o.Path, "{model}"), (o.Models != ""), "%s: the path is %s and its models are %q", o.Name, o.Path, o.Models)
		if model, basis, _ := strings.Cut(o.Differ, " "); o.Differ != "" && (!strings.Contains(o.Models, model) || o.BasisFor(model) != Basis(basis)) {
			t.Errorf("%s differs for %q", o.Name, o.Differ)
		}
		if o.Basis != Shown {
			if err := CheckOperation(o.Name, o.Method+" "+o.Path); err != nil {
				t.Errorf("its own path as an override: %v", err)
			}
		}
	}
}

func TestCheckOperation_refusesWhatCannotBeSent(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct{ Name, Override, Want string }](t, "check_operation_refuses_what_cannot_be_sent.json") {
		err := CheckOperation(tt.Name, tt.Override)
		if tt.Want == "" && err != nil || tt.Want != "" && (err == nil || !strings.Contains(err.Error(), tt.Want)) {
			t.Errorf("%s = %q is refused with %v, want %q", tt.Name, tt.Override, err, tt.Want)
		}
	}
	if err := CheckOperation("x", ""); !errors.Is(err, ErrUnknownOperation) {
		t.Errorf("an unknown name is refused with %v", err)
	}
}

func TestOperation_fillsThePathOfTheTableOrOfAnOverride(t *testing.T) {
	t.Parallel()
	standard := &Client{operations: standardOperations}
	other := &Client{operations: operationsWith(standardOperations, map[string]string{
		"cancel_invoice":       "POST /v1/{model}-invoices/{id}/cancel",
		"check_invoice_status": "PUT /v1/check/{id}/{model}",
	})}
	for _, tt := range []struct {
		client *Client
		name   string
		values []string
		want   string
	}{
		{standard, "cancel_invoice", []string{"product", "1"}, "DELETE /v1/product-invoices/1"},
		{other, "cancel_invoice", []string{"service", "1"}, "POST /v1/service-invoices/1/cancel"},
		{other, "check_invoice_status", []string{"consumer", "a/b"}, "PUT /v1/check/a%2Fb/consumer"},
		{other, "check_invoice_status", []string{"product", "1"}, "POST /v1/product-invoices/1/check-status"}, // It is shown.
		{standard, "get_customer", []string{"{model}"}, "GET /v1/customers/%7Bmodel%7D"},
		{standard, "get_customer", []string{""}, "GET /v1/customers/"},
		{standard, "get_inbound_invoice", []string{"consumer", "1"}, "GET /v1//1"}, // do refuses it.
	} {
		req := tt.client.operation(tt.name, tt.values...)
		expect.Is(t, req.method+" "+req.route(), tt.want, "%s %q", tt.name, tt.values)
	}
}

// The file has an empty status too, and one of no specification: a newer service may have it.
func TestStatus_decidesWhatTheClientDoes(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/statuses.csv")
	expect.NoError(t, err)
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	expect.NoError(t, err)
	for _, row := range rows[1:] {
		want, documents := map[string]bool{}, ""
		for n, column := range rows[0] {
			if want[column] = row[n] == "yes"; column == "documents" {
				documents = row[n]
			}
		}
		v := &Invoice{Status: Enum(row[0])}
		m := v.Meaning()
		for column, got := range map[string]bool{
			"final": m.Final, "live": m.Live && v.Status != "", "ended": m.HasEnded(), "correctable": m.Correctable,
			"cancelable": m.Cancelable, "numbered": m.Numbered, "uses number": m.UsesNumber, "draft": v.IsDraft(),
			"decided": m.Final || m.Valid,
		} {
			expect.Is(t, got, want[column], "%q: %s", row[0], column)
		}
		expect.Is(t, []string{"unknown", "later", "now", "never"}[m.Documents], documents, "%q: documents", row[0])
	}
}
