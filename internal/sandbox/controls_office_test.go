package sandbox

import (
	"net/http"
	"testing"
)

func TestControl_aNewKeyReplacesTheOneBefore(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	branch := newBranch(c)
	before := c.s.KeyOf(branch)
	g := c.control("POST", "/_sandbox/companies/"+branch+"/key", "{}")
	wantStatus(t, g, http.StatusOK)
	key, _ := g.doc["apiKey"].(string)
	if key == "" || key == before || key != c.s.KeyOf(branch) {
		t.Errorf("key = %q, before %q, now %q", key, before, c.s.KeyOf(branch))
	}
	for sent, want := range map[string]int{before: http.StatusForbidden, key: http.StatusOK} {
		wantStatus(t, (&client{t: t, s: c.s, key: sent}).do("GET", "/service-invoices", nil), want)
	}
	wantStatus(t, c.control("POST", "/_sandbox/companies/3fa85f64-5717-4562-b3fc-2c963f66afa6/key", "{}"), http.StatusNotFound)
}

func TestControl_activatesACertificateOfItsCompany(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	owner := c.s.OwnerCompanyID()
	hold := func(company string, active bool) string {
		return c.s.Seed(KindCertificates, object{"_companyId": company, "isActive": active})
	}
	first, second, others := hold(owner, false), hold(owner, true), hold(newBranch(c), true)
	g := c.control("POST", "/_sandbox/certificates/"+first+"/activate", "{}")
	wantStatus(t, g, http.StatusOK)
	wantFields(t, g.doc, object{"id": first, "isActive": true})
	for id, want := range map[string]bool{first: true, second: false, others: true} {
		if doc, _ := c.s.Object(KindCertificates, id); doc["isActive"] != want {
			t.Errorf("certificate %s is active: %v, want %t", id, doc["isActive"], want)
		}
	}
	wantStatus(t, c.control("POST", "/_sandbox/certificates/"+owner+"/activate", "{}"), http.StatusNotFound)
}
