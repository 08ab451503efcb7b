package webhook

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestSameURL(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Name, A, B string
		Want       bool
	}](t, "same_url.json") {
		expect.Is(t, sameURL(test.A, test.B), test.Want, "%s: sameURL(%q, %q)", test.Name, test.A, test.B)
	}
}

func TestValidWebhookURL(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Name, URL string
		Want      bool
	}](t, "valid_webhook_url.json") {
		expect.Is(t, validWebhookURL(test.URL), test.Want, "%s: validWebhookURL(%q)", test.Name, test.URL)
	}
}

func TestShownURL(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct{ Name, URL, Want string }](t, "shown_url.json") {
		expect.Is(t, ShownURL(test.URL), test.Want, "%s: shownURL(%q)", test.Name, test.URL)
	}
}

func TestWithoutURLSecrets(t *testing.T) {
	t.Parallel()
	const url = "https://me:pa55word@erp.example/hooks?token=s3cr%2Bet&mode=x#fragment"
	for _, test := range rows.Read[[]struct{ Name, Text, Want string }](t, "without_urlsecrets.json") {
		rows.Case(t, test.Name, func(t *testing.T) {
			at := path.Root("url")
			got := withoutURLSecrets(diag.Diagnostics{
				diag.NewAttributeErrorDiagnostic(at, test.Text, test.Text), diag.NewWarningDiagnostic(test.Text, test.Text),
			}, "", url)
			want := diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, test.Want, test.Want), diag.NewWarningDiagnostic(test.Want, test.Want)}
			if !got.Equal(want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		})
	}
}
