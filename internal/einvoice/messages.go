package einvoice

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/plain"
)

const (
	maxText        = 512  // bytes of a body that is not JSON
	maxMessage     = 2000 // bytes of one message
	maxMessages    = 50
	maxTraceID     = 128
	shortestSecret = 4 // a shorter one would blank out ordinary words
)

// messages reads the service's own words out of a body. The schema of the error
// body is not shown and may vary by endpoint, so all forms that were met are read.
func (c *Client) messages(req call, header http.Header, body []byte) (found []FieldMessage, text string) {
	body = bytes.TrimSpace(body)
	if !json.Valid(body) {
		return nil, c.clean(req, plainText(header, body), maxText)
	}
	for _, m := range bodyMessages(body) {
		m.Message = c.clean(req, m.Message, maxMessage)
		m.Path = c.clean(req, m.Path, maxTraceID)
		if m.Message != "" && !slices.Contains(found, m) && len(found) < maxMessages {
			found = append(found, m)
		}
	}
	return found, ""
}

// bodyMessages collects in this order: errors, message, detail, error, and a title or a map
// of fields, which say little, only where nothing else was found.
func bodyMessages(body []byte) []FieldMessage {
	if !isObject(body) {
		return messageList(body, "")
	}
	members := lowerNames(body)
	found := fieldMap(members["errors"])
	for _, name := range []string{"errors", "message", "detail", "error"} {
		found = append(found, messageList(members[name], "")...)
	}
	if !anyMessage(found) {
		found = messageList(members["title"], "")
	}
	if !anyMessage(found) {
		found = fieldMap(body)
	}
	return found
}

func anyMessage(list []FieldMessage) bool {
	return slices.ContainsFunc(list, func(m FieldMessage) bool { return strings.TrimSpace(m.Message) != "" })
}

// messageList reads a list of texts or of objects with a message and a path, or
// one of them alone.
func messageList(raw json.RawMessage, path string) []FieldMessage {
	items := []json.RawMessage{raw}
	if isArray(raw) {
		_ = json.Unmarshal(raw, &items)
	}
	list := make([]FieldMessage, len(items))
	for i, item := range items {
		list[i] = FieldMessage{Message: textOf(item), Path: path}
		if isObject(item) {
			members := lowerNames(item)
			list[i] = FieldMessage{Message: textOf(members["message"]), Path: cmp.Or(textOf(members["path"]), path)}
		}
	}
	return list
}

// fieldMap reads a map of fields to lists of messages.
func fieldMap(raw json.RawMessage) (list []FieldMessage) {
	members := membersOf(raw)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if isArray(members[name]) {
			list = append(list, messageList(members[name], name)...)
		}
	}
	return list
}

// lowerNames returns the members of an object by lower-case name.
func lowerNames(raw json.RawMessage) map[string]json.RawMessage {
	members := membersOf(raw)
	lower := make(map[string]json.RawMessage, len(members))
	for name, value := range members {
		lower[strings.ToLower(name)] = value
	}
	return lower
}

// traceID returns the service's reference of an exchange.
func traceID(header http.Header, body []byte) string {
	id := header.Get("X-Trace-Id")
	if id == "" && len(body) > 0 {
		id = textOf(lowerNames(bytes.TrimSpace(body))["traceid"])
	}
	return id
}

// unread are the elements of a page with text that nobody sees; a title says again what the page says.
var unread = []atom.Atom{atom.Script, atom.Style, atom.Title}

// plainText takes the markup off an HTML page.
func plainText(header http.Header, body []byte) string {
	body = body[:min(len(body), 64<<10)]
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if (err != nil || kind != "text/html") && !startsWith(body, '<') {
		return string(body)
	}
	var text strings.Builder
	unseen := atom.Atom(0)
	for page := html.NewTokenizer(bytes.NewReader(body)); page.Next() != html.ErrorToken; {
		switch token := page.Token(); {
		case unseen != 0:
			if token.Type == html.EndTagToken && token.DataAtom == unseen {
				unseen = 0
			}
		case token.Type == html.TextToken:
			text.WriteString(" " + token.Data)
		case token.Type == html.StartTagToken && slices.Contains(unread, token.DataAtom):
			unseen = token.DataAtom
		}
	}
	return text.String()
}

// quotation is where a transport error begins to quote what came.
var quotation = regexp.MustCompile(`(?s)("|malformed ).*`)

// knownSecrets are the keys and secrets that no text shows. The copies of a client share
// them.
type knownSecrets struct {
	keys []string // that it was given

	mu   sync.Mutex
	read []string // that the service has answered with
}

func (c *knownSecrets) add(secret string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(secret) >= shortestSecret && !slices.Contains(c.read, secret) {
		c.read = append(c.read, secret)
	}
}

func (c *knownSecrets) without(s string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return plain.Without(plain.Without(s, "(API key)", c.keys...), "(secret)", c.read...)
}

// clean makes a text from outside fit for an error.
func (c *Client) clean(req call, s string, most int) string {
	return plain.Excerpt(c.redact(req, s), most)
}

// redact takes the API keys and the secrets of the request out of a text. Of an answer that
// may hold a secret nothing is quoted.
func (c *Client) redact(req call, s string) string {
	if req.secretAnswer {
		s = quotation.ReplaceAllString(s, "(the answer is not shown)")
	}
	s = webhookSecret.ReplaceAllString(c.secrets.without(s), "(secret)")
	for _, secret := range req.secrets {
		s = withoutSecret(s, secret)
	}
	for _, secret := range secretsOf(req.body) {
		s = strings.ReplaceAll(s, secret, "(secret)")
	}
	return s
}

// rememberSecrets keeps the secrets of a body out of all texts from now on.
func (c *Client) rememberSecrets(body []byte) {
	for _, secret := range secretsOf(body) {
		c.secrets.add(secret)
	}
}

// webhookSecret matches a secret of Standard Webhooks, which a service may quote before this run has read it.
var webhookSecret = regexp.MustCompile(`whsec_[\w+/=-]+`)

// withoutSecret takes a secret out of a text. One so short that it occurs in
// ordinary words is taken out where it stands alone.
func withoutSecret(s, secret string) string {
	switch {
	case secret == "":
		return s
	case len(secret) >= shortestSecret, !utf8.ValidString(secret): // No word has it.
		return strings.ReplaceAll(s, secret, "(secret)")
	}
	alone := regexp.MustCompile(`(^|[^\pL\pN])` + regexp.QuoteMeta(secret) + `($|[^\pL\pN])`)
	for range 2 { // Neighbors share the character between them.
		s = alone.ReplaceAllString(s, "${1}(secret)${2}")
	}
	return s
}

// secretsOf returns the secret texts of a JSON body, the longest first, so that none is
// left in part behind another.
func secretsOf(body []byte) []string {
	var tree any
	if json.Unmarshal(body, &tree) != nil {
		return nil
	}
	secrets := secretsIn(tree, "")
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	return secrets
}

// secretName matches the names, in lower case, of members that hold a secret.
var secretName = regexp.MustCompile(`^(csc|csrts|apikey)$|password|secret`)

// secretsIn returns the secret texts under a name: the csc and the passwords of settings,
// every text in their csrts, of which no form is shown, and the query of a webhook's URL.
func secretsIn(v any, name string) []string {
	var secrets []string
	switch v := v.(type) {
	case map[string]any:
		for member, value := range v {
			member = strings.ToLower(member)
			if name == "csrts" {
				member = name
			}
			secrets = append(secrets, secretsIn(value, member)...)
		}
	case []any:
		for _, value := range v {
			secrets = append(secrets, secretsIn(value, name)...)
		}
	case string:
		if name == "url" {
			u, err := url.Parse(v)
			if err != nil {
				return nil
			}
			v = u.RawQuery
		} else if !secretName.MatchString(name) {
			return nil
		}
		if len(v) >= shortestSecret {
			secrets = append(secrets, v)
		}
	}
	return secrets
}
