package sandbox

import (
	"net/http"
	"testing"
)

func TestCollections_aDeletionAnswersSuccessAndThenTheDocumentIsGone(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	webhook := object{"event": EventAuthorized, "url": nowhere}
	for _, tt := range []struct {
		kind, path string
		body       object
		more       []string
	}{
		{KindCustomers, "/customers/", object{"name": "A"}, nil},
		{KindProducts, "/products/", object{"name": "A", "code": "1"}, nil},
		{KindWebhooks, "/webhooks/", webhook, []string{"/enable", "/disable"}},
	} {
		path := tt.path + c.s.Seed(tt.kind, tt.body)
		wantFields(t, c.must("DELETE", path, nil), object{"success": true})
		for _, method := range []string{"GET", "DELETE", "PUT"} {
			wantStatus(t, c.do(method, path, tt.body), http.StatusNotFound)
		}
		for _, verb := range tt.more {
			wantStatus(t, c.do("PUT", path+verb, nil), http.StatusNotFound)
		}
	}
}
