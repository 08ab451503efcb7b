package sandbox

import (
	"fmt"
	"maps"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// company changes the main company before the invoice is sent.
func company(fields object) func(c *client) {
	return func(c *client) { c.s.Patch(KindCompanies, c.s.OwnerCompanyID(), fields) }
}

func settings(block string, fields object) func(c *client) {
	return func(c *client) { c.s.SetSettings(c.s.OwnerCompanyID(), object{block: fields}) }
}

const (
	product  = "/product-invoices"
	consumer = "/consumer-invoices"
	service  = "/service-invoices"
)

var oldCPF = company(object{"federalTaxNumber": "52998224725"})

// breaches are all rules that an invoice breaks. What the service finds is not transmitted.
func (s *Server) breaches(ref invoiceRef) (met []rule) {
	s.locked(func() {
		p := s.present(ref)
		for _, r := range authorityRules() {
			transmitted := len(met) == 0 || met[0].code != codePayload || r.code == codePayload
			if _, broken := r.breach(p); broken && transmitted {
				met = append(met, r)
			}
		}
	})
	return met
}

func TestAuthority_goesByTheDayOfEmission(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change object
		want   string
	}{
		"six days late":      {object{"effectiveDate": local(noon.AddDate(0, 0, -6))}, "100"},
		"eight days late":    {object{"effectiveDate": local(noon.AddDate(0, 0, -8))}, "150"},
		"while a rule holds": {object{"presenceType": "delivery"}, "794"},
	} {
		c := newIssuer(t, Options{Clock: NewManualClock(noon)})
		doc := c.must("GET", product+"/"+c.issued(product, tt.change), nil)
		wantSame(t, tt.want, text(part(doc, "processingDetail"), "code"), "%s: code", name)
	}
}

// Each code has its source, its documents and an explanation in one table.
func TestAuthority_answersNoCodeThatTheLawDoesNotHave(t *testing.T) {
	t.Parallel()
	if _, ok := fiscal.LawOf(codeNumberUsed); !ok {
		t.Errorf("%s is not in the table of law", codeNumberUsed)
	}
	for _, r := range authorityRules() {
		law, ok := fiscal.LawOf(r.code)
		if r.code != codePayload && (!ok || len(r.models) == 0) || r.source == "" {
			t.Errorf("%s: %+v", r.code, law)
		}
		for _, model := range r.models {
			told := fiscal.ExplainRejection(r.code, model.name)
			if told.Kind == fiscal.RejectionUnknown || told.Cause.IsZero() && r.code != codePayload {
				t.Errorf("rejection_explain says of %s of a %s: %+v", r.code, model.name, told)
			}
		}
	}
}

func TestAuthority_ofAnOrderLooksAtThePartiesAlone(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{"52998224725": "authorized", "52998224724": "rejected"} {
		c := newIssuer(t, Options{})
		c.must("POST", "/orders", object{
			"customer": object{"name": "Maria", "federalTaxNumber": number},
			"items":    []any{object{"quantity": 1, "price": 10, "product": object{"name": "Pão", "invoiceModel": "productInvoice"}}},
		})
		if got := c.s.Invoices("")[0]; got["status"] != want {
			t.Errorf("sold to %s: %v %v, want %s", number, got["status"], got["processingDetail"], want)
		}
	}
}

func TestAuthority_comesAfterTheScript(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.s.ScriptInvoice("s-1", Reject("999", "Erro não catalogado"))
	b := maps.Clone(bodies[service]())
	b["integrationId"] = "s-1"
	delete(b, "federalServiceCode")
	for _, want := range []string{"999", "E9999"} {
		id := fmt.Sprint(c.must("POST", service, b)["id"])
		wantFields(t, c.must("GET", service+"/"+id, nil), object{"status": "rejected", "processingDetail": object{"code": want}})
	}
}
