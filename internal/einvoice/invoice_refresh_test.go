package einvoice

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// issued is a sandbox with so many authorized invoices in each month, the last one
// first, and those of the workspace, as it knows them.
func issued(t *testing.T, opts sandbox.Options, months ...int) (*sandbox.Server, []*Invoice) {
	t.Helper()
	s := sandbox.Start(t, opts)
	var list []*Invoice
	for month, n := range months {
		for i := range n {
			date := time.Date(2026, 3, 1+i%28, 12, 0, 0, 0, SaoPaulo).AddDate(0, -month, 0).Format(time.RFC3339)
			id := s.Seed(sandbox.KindServiceInvoices, map[string]any{
				"integrationId": fmt.Sprintf("sale-%d-%d", month, i), "status": StatusAuthorized, "number": i + 1, "amount": 10.5, "effectiveDate": date,
			})
			list = append(list, &Invoice{
				ID: Text(id), Status: StatusAuthorized, Number: ptr(Int(i + 1)), EffectiveDate: Text(date),
			})
		}
	}
	for _, v := range list {
		document, _ := s.Object(sandbox.KindServiceInvoices, string(v.ID))
		v.IssuedOn = Text(fmt.Sprint(document["issuedOn"]))
	}
	return s, list
}

// isNumbered returns a function that reports whether an entry shows no other number than an invoice.
func isNumbered(v *Invoice) func(*Invoice) bool {
	return func(entry *Invoice) bool { return entry.Number == nil || *entry.Number == *v.Number }
}

// refreshed reads invoices by so many readers at once, and counts those that are as they are known.
func refreshed(t *testing.T, s *sandbox.Server, c *Client, list []*Invoice, readers int) (unchanged int) {
	t.Helper()
	s.ResetRequests()
	same := make(chan bool, len(list))
	atOnce(readers, len(list), func(i int) {
		held, err := c.RefreshInvoice(t.Context(), ModelService, list[i], isNumbered(list[i]))
		if err != nil || held != nil && held.ID != list[i].ID {
			t.Errorf("%s is read as %+v, %v", list[i].ID, held, err)
		}
		same <- held == nil
	})
	close(same)
	for is := range same {
		if is {
			unchanged++
		}
	}
	return unchanged
}

func first(n int) func([]*Invoice) []*Invoice {
	return func(list []*Invoice) []*Invoice { return list[:n] }
}

func TestRefreshInvoice_readsByIDWhatMayBeOtherwise(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status string         // in state
		change map[string]any // at the service
		byID   bool
	}{
		{"unchanged", StatusAuthorized, nil, false},
		{"canceled as before", StatusCanceled, map[string]any{"status": StatusCanceled}, false},
		{"canceled elsewhere", StatusAuthorized, map[string]any{"status": StatusCanceled}, true},
		{"another number", StatusAuthorized, map[string]any{"number": 99_999}, true},
		{"written otherwise", StatusAuthorized, map[string]any{"number": "5"}, false},
		{"entry with less", StatusAuthorized, map[string]any{"number": 0, "effectiveDate": nil}, false},
		{"entry without a status", StatusAuthorized, map[string]any{"status": nil}, true},
		{"what the state does not keep", StatusAuthorized, map[string]any{"receiver": map[string]any{"name": "x"}}, false},
		{"draft", StatusCreated, map[string]any{"status": StatusCreated}, true},
		{"rejected", StatusRejected, map[string]any{"status": StatusRejected}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, list := issued(t, sandbox.Options{}, 20)
			c := ownerOf(t, s)
			v := list[4]
			s.Patch(sandbox.KindServiceInvoices, string(v.ID), tt.change)
			v.Status = Enum(tt.status)
			refreshed(t, s, c, list[5:], 1) // The list is in use.
			if unchanged := refreshed(t, s, c, []*Invoice{v}, 1); (unchanged == 0) != tt.byID || len(s.Requests()) != 1-unchanged {
				t.Errorf("unchanged %d, after %d requests", unchanged, len(s.Requests()))
			}
		})
	}
}

// What is not found stays an error of its own, and costs no list.
func TestRefreshInvoice_looksForNothingThatIsGone(t *testing.T) {
	t.Parallel()
	s, list := issued(t, sandbox.Options{}, 30)
	c := ownerOf(t, s)
	s.Remove(sandbox.KindServiceInvoices, string(list[7].ID))
	refreshed(t, s, c, list[10:], 1)
	s.ResetRequests()
	if held, err := c.RefreshInvoice(t.Context(), ModelService, list[7], isNumbered(list[7])); !errors.Is(err, ErrNotFound) || held != nil || len(s.Requests()) != 1 {
		t.Errorf("read as %+v, %v after %d requests", held, err, len(s.Requests()))
	}
}

func TestRefreshInvoice_forgetsAfterAWrite(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		write  func(c *Client, id string) error
		forget bool
	}{
		"to an invoice": {func(c *Client, id string) error {
			return errorOf(c.CancelInvoice(t.Context(), ModelService, id, "Pedido cancelado pelo cliente", nil))
		}, true},
		"to an order": {func(c *Client, _ string) error {
			_, err := c.SetOrderStatus(t.Context(), "none", OrderApproved, nil)
			if errors.Is(err, ErrNotFound) {
				return nil
			}
			return err
		}, true},
		"to something else": {func(c *Client, _ string) error {
			return errorOf(c.CreateCustomer(t.Context(), Customer{Name: "x"}, nil))
		}, false},
	} {
		for _, invoices := range []int{30, 303} { // The whole list, and that of a month.
			t.Run(fmt.Sprintf("%s, of %d", name, invoices), func(t *testing.T) {
				t.Parallel()
				s, list := issued(t, sandbox.Options{MaxPageSize: 10}, 30, invoices-30)
				c := ownerOf(t, s)
				refreshed(t, s, c, list[:20], 1)
				must(t, tt.write(c, string(list[25].ID)))
				refreshed(t, s, c, list[20:21], 1)
				if n := len(s.Requests()); (n > 0) != tt.forget {
					t.Errorf("%d requests", n)
				}
			})
		}
	}
}

// A list that is read shows the second invoice for nothing. Without one, the first invoice
// of a run that was issued recently costs one request.
func TestBeside_namesTheSecondValidInvoice(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Status   string // of the second one
		Refresh  int    // invoices, so that the list is read where they are many
		Old      bool
		Found    int
		Requests int
	}](t, "beside_names_the_second_valid_invoice.json") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, list := issued(t, sandbox.Options{}, 30)
			s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "sale-0-0", "status": tt.Status})
			c := ownerOf(t, s)
			refreshed(t, s, c, list[1:1+tt.Refresh], 1)
			s.ResetRequests()
			v := list[0]
			v.IntegrationID, v.IssuedOn = "sale-0-0", Text(time.Now().Format(time.RFC3339))
			if tt.Old {
				v.IssuedOn = Text(time.Now().AddDate(0, 0, -2).Format(time.RFC3339))
			}
			for n := range 2 {
				beside := c.Beside(t.Context(), ModelService, v)
				if found := len(beside); found != tt.Found && (n == 0 || tt.Requests == 0) {
					t.Errorf("%d lie beside it, want %d", found, tt.Found)
				}
			}
			if n := len(s.Requests()); n != tt.Requests {
				t.Errorf("%d requests, want %d", n, tt.Requests)
			}
		})
	}
}
