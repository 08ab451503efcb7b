package webhook

import (
	"cmp"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"golang.org/x/net/idna"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// Before deliveries were signed, receivers had a secret in the URL, and many still do. So no
// diagnostic shows more of one than its scheme, host and path.

// ShownURL is a URL without what may be a secret: user, query and fragment.
func ShownURL(text string) string {
	shown, rest := text, ""
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		shown, rest = text[:i], text[i:]
	}
	if scheme, after, ok := strings.Cut(shown, "://"); ok {
		authority, _, _ := strings.Cut(after, "/")
		if _, err := url.Parse(shown); err != nil {
			authority = after // Where the user ends cannot be told for certain.
		}
		if at := strings.LastIndex(authority, "@"); at >= 0 {
			shown = scheme + "://..." + after[at:]
		}
	}
	if strings.HasPrefix(rest, "?") {
		shown += "?..."
	}
	return shown
}

// urlSpelling is for services that write a URL in their own way: then it is still the same webhook.
var urlSpelling = attribute.NewSpelling("webhook URL", foldURL)

// foldURL makes one text of all spellings of a URL: its scheme and host in lower case and as ASCII, without the default
// port, with a path, and with one way of escaping that.
func foldURL(text string) string {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" {
		return text
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	if port != "" && port != map[string]string{"https": "443", "http": "80"}[u.Scheme] {
		host = net.JoinHostPort(host, port)
	}
	u.Host, u.Path, u.RawPath = host, cmp.Or(u.Path, "/"), ""
	return u.String()
}

// isTarget reports whether a webhook sends an event to a URL, in any spelling.
func isTarget(w *einvoice.Webhook, event, url string) bool {
	return string(w.Event) == event && urlSpelling.Same(string(w.URL), url)
}

// sameURL reports whether a URL as the service shows it leads to the same place as another. The service may hide the
// query, which may be a secret, and write a slash at the end.
func sameURL(shown, sent string) bool {
	one, query, _ := strings.Cut(foldURL(shown), "?")
	two, sentQuery, _ := strings.Cut(foldURL(sent), "?")
	sameQuery := query == sentQuery || query == "" || einvoice.IsMasked(query)
	return strings.TrimRight(one, "/") == strings.TrimRight(two, "/") && sameQuery
}

var quotedURL = regexp.MustCompile(`(?i)\bhttps?:(?://|\\/\\/)[^\s"'<>` + "`" + `]+`)

// minSecret is the length from which a part of a URL counts as a secret. A shorter one occurs in any
// text.
const minSecret = 4

// withoutURLSecrets removes from diagnostics what the URLs may hold as secrets, in any form in which
// the service may quote it.
func withoutURLSecrets(diags diag.Diagnostics, urls ...string) diag.Diagnostics {
	var secrets []string
	for _, u := range urls {
		secrets = append(secrets, urlSecrets(u)...)
	}
	// Longest first: a part must not break up the whole that contains it.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	return say.Edited(diags, func(said string) string {
		said = quotedURL.ReplaceAllStringFunc(said, ShownURL)
		for _, secret := range secrets {
			said = strings.ReplaceAll(said, secret, "...")
		}
		return said
	})
}

// urlSecrets lists the parts of a URL that may be secret, as written and decoded.
func urlSecrets(text string) []string {
	u, err := url.Parse(text)
	if err != nil {
		return []string{text}
	}
	parts := []string{u.RawQuery, u.Fragment}
	if u.User != nil {
		password, _ := u.User.Password()
		parts = append(parts, u.User.String(), u.User.Username(), password)
	}
	for _, pair := range strings.FieldsFunc(u.RawQuery, func(r rune) bool { return r == '&' || r == ';' }) {
		_, value, _ := strings.Cut(pair, "=")
		decoded, _ := url.QueryUnescape(value)
		parts = append(parts, pair, value, decoded)
	}
	return slices.DeleteFunc(parts, func(part string) bool { return len(part) < minSecret })
}

// webhookURLValidator accepts https, and http on loopback for trying things out.
var webhookURLValidator = attribute.TextCheck{
	Rule: text.Of("rule.webhook_url", nil),
	Check: func(c attribute.Checked) {
		if !c.RefuseEmpty() && !validWebhookURL(c.Text) {
			c.Text = ShownURL(c.Text)
			c.Refuse("https://erp.example/hooks/invoices")
		}
	},
}

func validWebhookURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return false
	}
	switch u.Scheme {
	case "https":
		return true
	case "http":
		ip := net.ParseIP(u.Hostname())
		return strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
	default:
		return false
	}
}
