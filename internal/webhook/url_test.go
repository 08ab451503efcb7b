package webhook

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

func TestSameURL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, a, b string
		want       bool
	}{
		{"the same", "https://erp.example/hooks?s=1", "https://erp.example/hooks?s=1", true},
		{"the host in capitals", "https://ERP.example/hooks", "https://erp.example/hooks", true},
		{"a slash at the end", "https://erp.example", "https://erp.example/", true},
		{"another path", "https://erp.example/hooks/v2", "https://erp.example/hooks", false},
		{"another query", "https://erp.example/hooks?s=1", "https://erp.example/hooks?s=2", false},
		{"a query that is masked", "https://erp.example/hooks?s=****", "https://erp.example/hooks?s=2", true},
		{"a query that is not shown", "https://erp.example/hooks", "https://erp.example/hooks?s=2", true},
		{"a query that was not sent", "https://erp.example/hooks?s=1", "https://erp.example/hooks", false},
		{"what is no URL, and one", "https://erp example/", "https://erp.example/", false},
	} {
		if got := sameURL(test.a, test.b); got != test.want {
			t.Errorf("%s: sameURL(%q, %q) = %t, want %t", test.name, test.a, test.b, got, test.want)
		}
	}
}

func TestValidWebhookURL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, url string
		want      bool
	}{
		{"https with a port and a query", "https://erp.example:8443/hooks?token=abc", true},
		{"http on localhost", "http://localhost:8080/hooks", true},
		{"http on the IPv6 loopback", "http://[::1]:8080/", true},
		{"the scheme in capitals", "HTTPS://erp.example/", true},
		{"http on another host", "http://erp.example/hooks", false},
		{"http on a host that only begins like loopback", "http://localhost.example/hooks", false},
		{"http on a user that looks like loopback", "http://127.0.0.1@erp.example/", false},
		{"another scheme", "ftp://erp.example/hooks", false},
		{"no host", "https:///hooks", false},
		{"white space in the host", "https://erp example/", false},
	} {
		if got := validWebhookURL(test.url); got != test.want {
			t.Errorf("%s: validWebhookURL(%q) = %t, want %t", test.name, test.url, got, test.want)
		}
	}
}

func TestShownURL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, url, want string }{
		{"nothing to hide", "https://erp.example/hooks", "https://erp.example/hooks"},
		{"a query", "https://erp.example/hooks?token=s3cret&x=1", "https://erp.example/hooks?..."},
		{"a fragment", "https://erp.example/hooks#s3cret", "https://erp.example/hooks"},
		{"a query and a fragment", "https://erp.example/hooks?token=s3cret#more", "https://erp.example/hooks?..."},
		{"a user and a password", "https://me:s3cret@erp.example/hooks", "https://...@erp.example/hooks"},
		{"a password with a slash, which cannot be parsed", "https://me:s3/cret@erp.example/hooks", "https://...@erp.example/hooks"},
		{"an at sign in the path", "https://erp.example/@team/hooks", "https://erp.example/@team/hooks"},
		{"a text that is no URL", "s3?cret", "s3?..."},
	} {
		if got := ShownURL(test.url); got != test.want {
			t.Errorf("%s: shownURL(%q) = %q, want %q", test.name, test.url, got, test.want)
		}
	}
}

func TestWithoutURLSecrets(t *testing.T) {
	t.Parallel()
	const url = "https://me:pa55word@erp.example/hooks?token=s3cr%2Bet&mode=x#fragment"
	for _, test := range []struct{ name, text, want string }{
		{"the whole URL", `The url "` + url + `" is taken.`, `The url "https://...@erp.example/hooks?..." is taken.`},
		{"the URL as JSON writes it", `{"url":"https:\/\/erp.example\/hooks?token=s3cr%2Bet\u0026mode=x"}`, `{"url":"https:\/\/erp.example\/hooks?..."}`},
		{"the query by itself", "Bad query token=s3cr%2Bet&mode=x", "Bad query ..."},
		{"the query as HTML writes it", "Bad query token=s3cr%2Bet&amp;mode=x", "Bad query ...&amp;..."},
		{"a value by itself", "Bad value s3cr%2Bet!", "Bad value ...!"},
		{"a value that was decoded", "Bad value s3cr+et!", "Bad value ...!"},
		{"a password by itself", "User me with pa55word is unknown.", "User me with ... is unknown."},
		{"another URL with a query", "Seen https://other.example/x?key=v", "Seen https://other.example/x?..."},
		{"a text without any of it", "The field Event is required.", "The field Event is required."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			at := path.Root("url")
			got := withoutURLSecrets(diag.Diagnostics{
				diag.NewAttributeErrorDiagnostic(at, test.text, test.text), diag.NewWarningDiagnostic(test.text, test.text),
			}, "", url)
			want := diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, test.want, test.want), diag.NewWarningDiagnostic(test.want, test.want)}
			if !got.Equal(want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		})
	}
}
