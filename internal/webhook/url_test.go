package webhook

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestSameURL(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Name, A, B string
		Want       bool
	}](t, "same_url.json") {
		if got := sameURL(test.A, test.B); got != test.Want {
			t.Errorf("%s: sameURL(%q, %q) = %t, want %t", test.Name, test.A, test.B, got, test.Want)
		}
	}
}

func TestValidWebhookURL(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Name, Url string
		Want      bool
	}](t, "valid_webhook_url.json") {
		if got := validWebhookURL(test.Url); got != test.Want {
			t.Errorf("%s: validWebhookURL(%q) = %t, want %t", test.Name, test.Url, got, test.Want)
		}
	}
}

func TestShownURL(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct{ Name, Url, Want string }](t, "shown_url.json") {
		if got := ShownURL(test.Url); got != test.Want {
			t.Errorf("%s: shownURL(%q) = %q, want %q", test.Name, test.Url, got, test.Want)
		}
	}
}

func TestWithoutURLSecrets(t *testing.T) {
	t.Parallel()
	const url = "https://me:pa55word@erp.example/hooks?token=s3cr%2Bet&mode=x#fragment"
	for _, test := range rows.Read[[]struct{ Name, Text, Want string }](t, "without_urlsecrets.json") {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
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
