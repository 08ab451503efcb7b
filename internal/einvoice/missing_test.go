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

// lackingService is a service with one object of each kind.
type lackingService struct {
	client                                             *Client
	owner, customer, product, webhook, order, received string
	invoices                                           map[string]string // by model
}

// writes carry out each operation that changes something. A deletion that is missing only
// forgets, and check_invoice_status is done without.
var writes = map[string]func(context.Context, *lackingService) error{
	"create_customer": func(ctx context.Context, s *lackingService) error {
		return errorOf(s.client.CreateCustomer(ctx, Customer{Name: "Maria"}, nil))
	},
	"update_customer": func(ctx context.Context, s *lackingService) error {
		held := &Customer{ID: Text(s.customer), Raw: []byte(`{}`)}
		return errorOf(s.client.UpdateCustomer(ctx, held, Customer{Name: "Ana"}, Customer{}, nil))
	},
	"create_product": func(ctx context.Context, s *lackingService) error {
		return errorOf(s.client.CreateProduct(ctx, Product{Name: "Broa"}, nil))
	},
	"update_product": func(ctx context.Context, s *lackingService) error {
		held := &Product{ID: Text(s.product), Raw: []byte(`{}`)}
		return errorOf(s.client.UpdateProduct(ctx, held, Product{Name: "Broa"}, Product{}, nil))
	},
	"create_company": func(ctx context.Context, s *lackingService) error {
		return errorOf(s.client.CreateCompany(ctx, Company{Name: "Padaria"}, nil))
	},
	"update_company": func(ctx context.Context, s *lackingService) error {
		return errorOf(s.client.UpdateCompany(ctx, s.owner, Company{Name: "Padaria"}, Company{}, nil))
	},
	"update_settings": func(ctx context.Context, s *lackingService) error {
		return s.client.PutCompanySettings(ctx, s.owner, map[string]SettingsBlock{"general": {}})
	},
	"create_certificate": func(ctx context.Context, s *lackingService) error {
		return errorOf(s.client.UploadCertificate(ctx, s.owner, []byte("file"), "password"))
	},
	"create_webhook": func(ctx context.Context, s *lackingService) error {
		return errorOf(s.client.CreateWebhook(ctx, "invoice.rejected", "https://example.com/b"))
	},
	"update_webhook": func(ctx context.Context, s *lackingService) error {
		held := &Webhook{ID: Text(s.webhook), Raw: []byte(`{}`)}
		return errorOf(s.client.UpdateWebhook(ctx, held, "invoice.rejected", "https://example.com/b"))
	},
	"enable_webhook": func(ctx context.Context, s *lackingService) error {
		return errorOf(s.client.SetWebhookEnabled(ctx, s.webhook, true))
	},
	"disable_webhook": func(ctx context.Context, s *lackingService) error {
		return errorOf(s.client.SetWebhookEnabled(ctx, s.webhook, false))
	},
	"rotate_webhook_secret": func(ctx context.Context, s *lackingService) error {
		return errorOf(s.client.RotateWebhookSecret(ctx, nil))
	},
	"create_order": func(ctx context.Context, s *lackingService) error {
		return errorOf(s.client.CreateOrder(ctx, Order{TransactionID: "t-1"}, nil))
	},
	"update_order_status": func(ctx context.Context, s *lackingService) error {
		return errorOf(s.client.SetOrderStatus(ctx, s.order, "canceled"))
	},
	"issue_order_invoices": func(ctx context.Context, s *lackingService) error {
		return s.client.IssueOrderInvoices(ctx, s.order, "")
	},
	"create_invoice": eachModel(func(ctx context.Context, s *lackingService, model string) error {
		return errorOf(s.client.CreateInvoice(ctx, model, []byte(`{}`)))
	}),
	"cancel_invoice": eachModel(func(ctx context.Context, s *lackingService, model string) error {
		return errorOf(s.client.CancelInvoice(ctx, model, s.invoices[model], "Venda desfeita pelo cliente"))
	}),
	"issue_invoice": eachModel(func(ctx context.Context, s *lackingService, model string) error {
		return errorOf(s.client.IssueInvoice(ctx, model, s.invoices[model]))
	}),
	"correct_invoice": func(ctx context.Context, s *lackingService) error {
		return errorOf(s.client.CorrectInvoice(ctx, s.invoices[ModelProduct], "Onde se lê 1, leia-se 2."))
	},
	"manifest_inbound_invoice": func(ctx context.Context, s *lackingService) error {
		return errorOf(s.client.ManifestInbound(ctx, s.received, ManifestAcknowledged, ""))
	},
	"sync_inbound": func(ctx context.Context, s *lackingService) error { return s.client.SyncInbound(ctx) },
}

// eachModel returns the first error that names no operation, else the last one.
func eachModel(write func(context.Context, *lackingService, string) error) func(context.Context, *lackingService) error {
	return func(ctx context.Context, s *lackingService) (err error) {
		for _, model := range Models {
			if err = write(ctx, s, model); !errors.Is(err, ErrMissing) {
				break
			}
		}
		return err
	}
}

func TestWrites_nameTheOperationThatIsMissing(t *testing.T) {
	t.Parallel()
	for _, o := range Operations {
		write := writes[o.Name]
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
				held := &lackingService{
					client: mustClient(t, Config{BaseURL: s.BaseURL(), APIKey: s.OwnerKey()}), owner: s.OwnerCompanyID(),
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
				failure, err := (*Error)(nil), write(t.Context(), held)
				if !errors.Is(err, ErrMissing) || !errors.As(err, &failure) || failure.Missing != o.Name {
					t.Errorf("it ends with %v, want one that names %s", err, o.Name)
				}
			})
		}
	}
}

// What the operation is about is not there: that is no missing operation.
func TestWrites_doNotNameAnOperationWhereTheObjectIsGone(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	c := mustClient(t, Config{BaseURL: s.BaseURL(), APIKey: s.OwnerKey()})
	_, err := c.CancelInvoice(t.Context(), ModelProduct, "7c9e6679-7425-40de-944b-e07fc1f90ae7", "Venda desfeita pelo cliente")
	if !errors.Is(err, ErrNotFound) || errors.Is(err, ErrMissing) {
		t.Errorf("it ends with %v, want not found", err)
	}
}
