package fiscal_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

func TestExplainRejection(t *testing.T) {
	t.Parallel()
	const (
		authority, service, unknownOrigin            = fiscal.OriginAuthority, fiscal.OriginService, fiscal.OriginUnknown
		transient, definitive, internal, unknownKind = fiscal.RejectionTransient, fiscal.RejectionDefinitive, fiscal.RejectionInternal, fiscal.RejectionUnknown
		noKind                                       = fiscal.RejectionNone
	)
	tests := map[string]struct {
		origin fiscal.RejectionOrigin
		kind   fiscal.RejectionKind
		waits  bool
		action string
	}{
		"SPD001":   {service, transient, true, "Do not reissue"},
		"SPD002":   {service, transient, true, "it sends no second cancellation"},
		"SPD003":   {service, definitive, false, "run apply again"},
		"SPD004":   {service, definitive, false, "adopts it"},
		"SPD005":   {service, definitive, false, "does not apply"},
		"SPD006":   {service, transient, true, "Wait"},
		"SPD998":   {service, internal, true, "Do not reissue"},
		"SPD999":   {service, transient, true, "Do not reissue"},
		" spd999 ": {service, transient, true, "Do not reissue"},
		"108":      {authority, transient, false, "Wait some minutes. Then run apply again"},
		"501":      {authority, definitive, false, "can no longer be canceled"},
		"778":      {authority, definitive, false, "correct `ncm`"},
		"999":      {authority, definitive, false, "correct what it names, and run apply again"},
		"e0310":    {authority, definitive, false, "`nationalTaxationCode`"},
		"E31":      {authority, definitive, false, "Set `federalServiceCode`"},
		"100":      {authority, noKind, false, "do not send the invoice again"},
		"105":      {authority, transient, false, "Do not send the invoice"},
		"573":      {authority, definitive, false, "Do not send the invoice again"},
		"E9999":    {authority, definitive, false, "run apply again"},
		"204":      {authority, definitive, false, "run apply again"},
		"0539":     {authority, definitive, false, "run apply again"},
		"SPD777":   {service, unknownKind, false, "Do not reissue"},
		"E0001":    {unknownOrigin, unknownKind, false, "Do not reissue"},
		"":         {unknownOrigin, unknownKind, false, "Do not reissue"},
	}
	for code, tt := range tests {
		got, waits := fiscal.ExplainRejection(code, ""), fiscal.IsTransient(code)
		if got.Code != strings.ToUpper(strings.TrimSpace(code)) || got.Origin != tt.origin || got.Kind != tt.kind || waits != tt.waits {
			t.Errorf("%s: %s, %s, %s, %t, want %+v", code, got.Code, got.Origin, got.Kind, waits, tt)
		}
		if action := got.ActionFor("integration_id").In(t.Context()); !strings.Contains(action, tt.action) || !strings.HasSuffix(action, ".") {
			t.Errorf("%s: action %q, want sentences with %q", code, action, tt.action)
		}
	}
}

func TestRejection_saysHowAReaderGoesOn(t *testing.T) {
	t.Parallel()
	ctx := text.InForm(t.Context(), text.Action)
	for code, want := range map[string][2]string{
		"999": {
			"correct what it names, and invoke the action again: the provider sends the invoice again under the same transaction_id, and says so if the service does not take it.",
			"corrija o que ela aponta e execute a action de novo: o provider reenvia a nota com o mesmo transaction_id e avisa se o serviço não aceitar o reenvio.",
		},
		"110": {"then issue the sale under a new transaction_id.", "emita a venda com um transaction_id novo."},
		"610": {
			"Then invoke the action again: the provider sends the invoice again under the same transaction_id, and says so if the service does not take it.",
			"Depois, execute a action de novo: o provider reenvia a nota com o mesmo transaction_id e avisa se o serviço não aceitar o reenvio.",
		},
		"SPD004": {"Do not reissue. Invoke the action again:", "Não emita de novo. Execute a action de novo:"},
	} {
		for i, l := range text.Languages {
			if got := fiscal.ExplainRejection(code, "").ActionFor("transaction_id").In(text.InLanguage(ctx, l)); !strings.Contains(got, want[i]) {
				t.Errorf("%s: %q lacks %q", code, got, want[i])
			}
		}
	}
}

// The catalogs say of each law, in each language, why and what to correct, and of nothing else.
func TestLaws_haveTheirTexts(t *testing.T) {
	t.Parallel()
	for _, l := range text.Languages {
		raw, err := os.ReadFile("../text/" + string(l) + "/law.txt")
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, law := range fiscal.Laws() {
			keys = append(keys, "law."+law.Code+".cause", "law."+law.Code+".remedy")
			r, ctx := fiscal.ExplainRejection(law.Code, ""), text.InLanguage(t.Context(), l)
			for _, said := range []string{r.Cause.In(ctx), r.RemedyFor("NAME").In(ctx), r.ActionFor("NAME").In(ctx)} {
				isWhole := strings.HasSuffix(strings.TrimSuffix(said, ")"), ".") && !strings.ContainsAny(said, "{}<>")
				if !isWhole || strings.HasPrefix(said, "law.") {
					t.Errorf("%s, %s: %q is no sentence", l, law.Code, said)
				}
			}
		}
		var inFile []string
		for _, match := range regexp.MustCompile(`(?m)^### (.+)$`).FindAllStringSubmatch(string(raw), -1) {
			inFile = append(inFile, match[1])
		}
		if diff := cmp.Diff(keys, inFile); diff != "" {
			t.Errorf("%s (-table +catalog)\n%s", l, diff)
		}
	}
}

// The engine waits for what IsTransient tells of, so that no code of an authority,
// which has rejected the invoice, may be among those.
func TestLaws_areWholeSortedAndDatedByTheCalendar(t *testing.T) {
	t.Parallel()
	known := fiscal.Laws()
	if len(known) < 155 {
		t.Errorf("%d codes are known, want 155", len(known))
	}
	// Numbers first, then ABRASF's, then the national ones.
	order := func(code string) string {
		digits := strings.TrimPrefix(code, "E")
		return strings.TrimSuffix(code, digits) + strconv.Itoa(len(digits)) + digits
	}
	for i, law := range known {
		for _, day := range []string{law.From, law.Until} {
			if day != "" && (len(day) != len("2026-11-22") || !fiscal.IsDate(day)) {
				t.Errorf("%s: %q is no day", law.Code, day)
			}
		}
		switch r := fiscal.ExplainRejection(law.Code, ""); {
		case i > 0 && order(known[i-1].Code) >= order(law.Code):
			t.Errorf("%s comes after %s", law.Code, known[i-1].Code)
		case law.Until != "" && law.From > law.Until:
			t.Errorf("%s holds from %s until %s", law.Code, law.From, law.Until)
		case r.Origin != fiscal.OriginAuthority || fiscal.IsTransient(r.Code):
			t.Errorf("%s is from %s, and waited for: %t", r.Code, r.Origin, fiscal.IsTransient(r.Code))
		case r.Source == "" || law.Of == "":
			t.Errorf("%s is not whole: %+v", r.Code, r)
		}
	}
}

func TestExplainRejection_aCodeOfOneKindSaysNothingOfAnother(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code, model string
		explained   bool
	}{
		{"610", "productInvoice", true},
		{"610", "consumerInvoice", true},
		{"610", "serviceInvoice", false},
		{"610", "", true},
		{"0704", "consumerInvoice", true},
		{"704", "productInvoice", false},
		{"203", "consumerInvoice", false},
		{"E10", "serviceInvoice", true},
		{"E10", "productInvoice", false},
	} {
		if got := fiscal.ExplainRejection(tt.code, tt.model); !got.Cause.IsZero() != tt.explained || got.ActionFor("id").In(t.Context()) == "" {
			t.Errorf("%s of %q: %+v", tt.code, tt.model, got)
		}
	}
	if got := fiscal.ExplainRejection("SPD003", "serviceInvoice"); got.Origin != fiscal.OriginService {
		t.Errorf("%+v", got)
	}
}

// What is authorized, under way, or about a cancellation, an event or a consultation says nothing of sending it again.
func TestExplainRejection_neverAdvisesToSendAgainWhatIsNoRejection(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"100", "103", "105", "106", "120", "150", "217", "221", "420", "573", "580", "690"} {
		if r := fiscal.ExplainRejection(code, ""); strings.Contains(r.ActionFor("id").In(t.Context()), "is sent again") || r.Cause.IsZero() {
			t.Errorf("%s: %+v", code, r)
		}
	}
}

// A wrong word about these makes somebody issue a second invoice.
func TestExplainRejection_neverAdvisesANewNameWhereTheSameIsSentAgain(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"203", "204", "205", "301", "302", "539", "781", "E10", "E0014"} {
		action := fiscal.ExplainRejection(code, "").ActionFor("NAME").In(t.Context())
		if !strings.Contains(action, "under the same NAME") || strings.Contains(strings.ReplaceAll(action, "Never send it under a new NAME", ""), "new NAME") {
			t.Errorf("%s: %s", code, action)
		}
	}
}

func TestLaw_holdsFromItsFirstDayToItsLast(t *testing.T) {
	t.Parallel()
	past, present := fiscal.Law{Until: "2024-09-01"}, fiscal.Law{From: "2026-08-03"}
	for day, want := range map[string][2]bool{
		"2024-09-01": {true, false}, "2024-09-02": {false, false}, "2026-08-03": {false, true}, "": {false, true},
	} {
		if got := [2]bool{past.HoldsOn(day), present.HoldsOn(day)}; got != want {
			t.Errorf("%q: %v, want %v", day, got, want)
		}
	}
}
