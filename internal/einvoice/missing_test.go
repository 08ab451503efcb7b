package einvoice

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
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
			return s.UpdateCustomer(ctx, s.customer, customer, Customer{}, nil)
		},
		"create_product": func(s *lacking) (any, error) { return s.CreateProduct(ctx, product, nil) },
		"update_product": func(s *lacking) (any, error) {
			return s.UpdateProduct(ctx, s.product, product, Product{}, nil)
		},
		"create_company": func(s *lacking) (any, error) { return s.CreateCompany(ctx, company, nil) },
		"update_company": func(s *lacking) (any, error) {
			return s.UpdateCompany(ctx, s.owner, company, Company{}, nil)
		},
		"update_settings": func(s *lacking) (any, error) {
			return nil, s.RewriteSettings(ctx, s.owner, asRead)
		},
		"create_certificate": func(s *lacking) (any, error) {
			return s.UploadCertificate(ctx, s.owner, []byte("file"), "password")
		},
		"create_webhook": func(s *lacking) (any, error) { return s.CreateWebhook(ctx, event, url) },
		"update_webhook": func(s *lacking) (any, error) {
			return s.UpdateWebhook(ctx, s.webhook, event, url)
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
