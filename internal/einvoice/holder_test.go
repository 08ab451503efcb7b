package einvoice

import (
	"net/http"
	"testing"
)

// An account that shows its only company in the place of a list still tells whose key it is.
func TestAskHolder_takesASingleCompanyForTheList(t *testing.T) {
	t.Parallel()
	c := mustClient(t, Config{BaseURL: "https://host.example/v1", APIKey: testKey, Wrap: wire(func(*http.Request) (*http.Response, error) {
		return reply(200, `{"id":"1","federalTaxNumber":"11222333000181","apiCredentials":{"apiKey":"`+testKey[:4]+`****"}}`), nil
	}).wrap})
	holder, err := c.AskHolder(t.Context(), nil, func(number Text) bool { return number == "11222333000181" })
	if holder != "11222333000181" || err != nil {
		t.Errorf("AskHolder = %q, %v", holder, err)
	}
}
