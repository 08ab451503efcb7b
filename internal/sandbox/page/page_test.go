package page

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// look gets something of a page with nothing on it.
func look(t *testing.T, method, path string) (status int, header http.Header, body string) {
	t.Helper()
	server := httptest.NewServer(Handler{
		View:     func(Query) View { return View{} },
		Document: func(id string) (Document, bool) { return Document{Invoice: Invoice{ID: id}}, id == "held" },
	})
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
	expect.NoError(t, err)
	resp, err := server.Client().Do(req)
	expect.NoError(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	expect.NoError(t, err)
	return resp.StatusCode, resp.Header, string(raw)
}

func TestPage_allowsItsOwnPartsAlone(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"/": "text/html; charset=utf-8", "/_sandbox/page.css": "text/css; charset=utf-8",
		"/_sandbox/page.js": "text/javascript; charset=utf-8", "/_sandbox/page.svg": "image/svg+xml", "/_sandbox/events": "text/event-stream",
		"/_sandbox/buttons.js": "text/javascript; charset=utf-8", "/_sandbox/document.css": "text/css; charset=utf-8",
		"/_sandbox/documents/held": "text/html; charset=utf-8", "/_sandbox/documents/held.xml": "application/xml; charset=utf-8",
	}
	for path, contentType := range want {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if r := httptest.NewRequestWithContext(t.Context(), method, path, nil); !Requested(r) {
				t.Errorf("%s %s is not for the page", method, path)
			}
		}
		status, header, body := look(t, http.MethodHead, path)
		if status != http.StatusOK || body != "" || header.Get("Content-Type") != contentType {
			t.Errorf("HEAD %s = %d %q", path, status, header.Get("Content-Type"))
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
		} {
			expect.Is(t, header.Get(name), want, "%s: %s", path, name)
		}
	}
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'none'"} {
		if !strings.Contains(policy, want) || strings.Contains(policy, "unsafe") {
			t.Errorf("the policy %q is not strict", policy)
		}
	}
	_, _, page := look(t, http.MethodGet, "/")
	_, _, document := look(t, http.MethodGet, "/_sandbox/documents/held")
	for _, found := range regexp.MustCompile(`(?:href|src)="(/[^"#?]*)`).FindAllStringSubmatch(page+document, -1) {
		if want[found[1]] == "" {
			t.Errorf("the page refers to %s", found[1])
		}
	}
	if strings.Contains(page, "http-equiv") || !strings.Contains(page, `<a href="/?reload=on">`) {
		t.Error("the page reloads although nobody asked for it, or does not offer to")
	}
	if _, _, page := look(t, http.MethodGet, "/?reload"); !strings.Contains(page, `<noscript><meta http-equiv="refresh" content="10"></noscript>`) {
		t.Error("the page does not reload when asked to")
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	at := func(l Language, at time.Time) string { return l.moment(Moment{At: at, Now: now}) }
	for _, tt := range []struct{ name, got, want string }{
		{"an amount", Portuguese.reais("1234567.5"), "R$\u00a01.234.567,50"},
		{"no centavo is rounded away", Portuguese.reais("0.1250"), "R$\u00a00,125"},
		{"a large amount is exact", Portuguese.reais("900719925474099.31"), "R$\u00a0900.719.925.474.099,31"},
		{"a negative amount", Portuguese.reais("-100"), "R$\u00a0-100,00"},
		{"what is no amount", Portuguese.reais(`{"a":1}`), `{"a":1}`},
		{"no amount", Portuguese.reais(""), ""},
		{"a quantity", Portuguese.number("4.000", 0), "4"},
		{"an amount in English", English.reais("1234567.5"), "R$\u00a01,234,567.50"},
		{"a count in English", English.whole(1234), "1,234"},
		{"a count", Portuguese.whole(1234), "1.234"},
		{"a CNPJ", taxNumber("98765432000198"), "98.765.432/0001-98"},
		{"a CNPJ with letters", taxNumber("12ABC34501DE35"), "12.ABC.345/01DE-35"},
		{"a CPF", taxNumber("52998224725"), "529.982.247-25"},
		{"no tax number", taxNumber("<b>"), "<b>"},
		{"an access key", fours("123456789"), "1234 5678 9"},
		{"no access key", fours(""), ""},
		{"a model", modelName("consumerInvoice"), "NFC-e"},
		{"today", at(English, now), "09:00:00 -03"},
		{"another day", at(English, now.AddDate(0, 0, -1)), "2026-03-09 09:00:00 -03"},
		{"another day in Brazil", at(Portuguese, now.AddDate(0, 0, -1)), "09/03/2026 09:00:00 -03"},
		{"the day is that of Brasília", at(English, time.Date(2026, 3, 11, 2, 0, 0, 0, time.UTC)), "23:00:00 -03"},
		{"a total with a name on paper", label("issRate"), "Alíquota do ISS"},
		{"one state in Portuguese", Portuguese.states(1, "authorized"), "autorizada"},
		{"several states", Portuguese.states(2, "authorized"), "autorizadas"},
		{"a phrase", Portuguese.states(2, "enqueued"), "na fila"},
		{"several states in English", English.states(2, "authorized"), "authorized"},
		{"a state that is not known", Portuguese.states(2, "lost"), "lost"},
		{"a total without one", label("otherThingAmount"), "other thing amount"},
	} {
		expect.Is(t, tt.got, tt.want, "%s", tt.name)
	}
}

func TestDocument_printsEachTaxAfterItsBaseAndRate(t *testing.T) {
	t.Parallel()
	d := Document{Totals: []Setting{
		{Name: "aNewAmount"},
		{Name: "issAmount"},
		{Name: "issBaseTax"},
		{Name: "issRate"},
		{Name: "netAmount"},
		{Name: "productAmount"},
	}}
	var got []string
	for _, sum := range d.Sums() {
		got = append(got, sum.Name)
	}
	if want := []string{"productAmount", "issBaseTax", "issRate", "issAmount", "netAmount", "aNewAmount"}; !slices.Equal(got, want) {
		t.Errorf("the totals are %q, want %q", got, want)
	}
}

func TestAdvice_isInTheLanguageOfThePage(t *testing.T) {
	t.Parallel()
	advice := Advice{text.Of("law.726.remedy", nil)} // with code
	for l, want := range map[Language][]string{
		English: {"Set ", "receiver.address", "."}, Portuguese: {"Preencha ", "receiver.address", "."},
	} {
		if got := l.tell(advice); !slices.Equal(got, want) {
			t.Errorf("%s: %q", languages[l].Name, got)
		}
	}
}

func TestRedactor_hidesByNameAndByValue(t *testing.T) {
	t.Parallel()
	c := NewRedactor([]string{"secret-word", "whsec_word", "12", ""})
	var table struct {
		Values map[string]struct {
			Field, Want string
			Value       any
		}
		Addresses, Failures map[string]string
	}
	raw, err := os.ReadFile("testdata/redactor.json")
	expect.NoError(t, err)
	expect.NoError(t, json.Unmarshal(raw, &table))
	expect.Is(t, len(table.Values), 10, "values")
	for name, tt := range table.Values {
		expect.Is(t, c.Value(tt.Field, tt.Value), tt.Want, "%s", name)
	}
	for raw, want := range table.Addresses {
		expect.Is(t, c.Address(raw), want, "%q is shown as", raw)
	}
	for raw, want := range table.Failures {
		expect.Is(t, c.Failure(raw), want, "%q is shown as", raw)
	}
}

// words are the kinds of text whose keys end in a word of the service.
var words = regexp.MustCompile(`^(state|order|mode|delivery|signature|environment|number)\.`)

func TestTexts_areAllThereInBothLanguages(t *testing.T) {
	t.Parallel()
	holes := regexp.MustCompile(`%(\[\d\])?[a-z]`)
	used := usedTexts(t)
	for key, text := range texts {
		var verbs [len(languages)][]string
		for l, words := range text {
			if strings.TrimSpace(words) == "" {
				t.Errorf("%s is missing in %s", key, languages[l].Name)
			}
			for _, hole := range holes.FindAllString(words, -1) {
				verbs[l] = append(verbs[l], hole[len(hole)-1:])
			}
			slices.Sort(verbs[l])
		}
		if !slices.Equal(verbs[English], verbs[Portuguese]) {
			t.Errorf("%s takes %q in English and %q in Portuguese", key, verbs[English], verbs[Portuguese])
		}
		if !used[key] && !words.MatchString(key) {
			t.Errorf("%s is used nowhere", key)
		}
	}
	for key := range used {
		if _, ok := texts[key]; !ok {
			t.Errorf("%s is used and is no text", key)
		}
	}
}

// usedTexts are the keys that the layouts name.
func usedTexts(t *testing.T) map[string]bool {
	t.Helper()
	names, err := fs.Glob(os.DirFS("."), "*.html")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	used := map[string]bool{}
	for _, name := range names {
		layout, err := os.ReadFile(name)
		expect.NoError(t, err)
		for _, found := range regexp.MustCompile(`say "([^"]+)"`).FindAllStringSubmatch(string(layout), -1) {
			used[found[1]] = true
		}
		for _, found := range regexp.MustCompile(`count \S+ "([^"]+)"`).FindAllStringSubmatch(string(layout), -1) {
			used[found[1]+".one"], used[found[1]+".many"] = true, true
		}
	}
	return used
}

func TestLanguage_isTheChosenOneOrTheBrowsers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		query, header string
		want          Language
	}{
		{"", "", English},
		{"", "pt-BR,pt;q=0.9,en;q=0.8", Portuguese},
		{"", "en-US,en;q=0.9,pt;q=0.8", English},
		{"", "de-DE,pt;q=0.7,en;q=0.3", Portuguese},
		{"", "fr", English},
		{"?lang=pt", "en-US", Portuguese},
		{"?lang=EN", "pt-BR", English},
		{"?lang=xx", "pt", Portuguese},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+tt.query, nil)
		r.Header.Set("Accept-Language", tt.header)
		if got := asked(r).Language; got != tt.want {
			t.Errorf("%q with Accept-Language %q: %s, want %s", tt.query, tt.header, languages[got].Name, languages[tt.want].Name)
		}
	}
}

func TestQuery_linksKeepTheRestOfTheAddress(t *testing.T) {
	t.Parallel()
	q := asked(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?q=a%26b&status=rejected&lang=pt&reload&unknown=1&invoice=7", nil))
	for got, want := range map[string]string{
		q.Link("status", "created"): "/?invoice=7&lang=pt&q=a%26b&reload=on&status=created",
		q.Link("invoice", ""):       "/?lang=pt&q=a%26b&reload=on&status=rejected",
		q.At("orders"):              "/?lang=pt&q=a%26b&reload=on&status=rejected#orders",
		q.Document("7/8"):           "/_sandbox/documents/7%2F8?lang=pt",
		q.XML("7"):                  "/_sandbox/documents/7.xml",
		q.Back("7"):                 "/?invoice=7&lang=pt",
	} {
		expect.Is(t, got, want, "link")
	}
	if long := asked(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?q="+strings.Repeat("x", 500), nil)); len(long.Search) != longestSearch {
		t.Errorf("a search of %d letters counts", len(long.Search))
	}
}
