// The tests of the sandbox's page in a browser, as a nested module, so that their
// dependencies stay out of the provider's.
module github.com/einvoice-br/terraform-provider-einvoice/internal/tools/browser

go 1.26.0

require github.com/einvoice-br/terraform-provider-einvoice v0.0.0

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
)

require (
	github.com/agext/levenshtein v1.2.3 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/standard-webhooks/standard-webhooks/libraries v0.0.1 // indirect
	golang.org/x/crypto v0.57.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	software.sslmate.com/src/go-pkcs12 v0.7.4 // indirect
)

replace github.com/einvoice-br/terraform-provider-einvoice => ../../..
