package fiscal_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

func TestExplainRejection(t *testing.T) {
	t.Parallel()
	tests := rows.Read[map[string]struct {
		Origin fiscal.RejectionOrigin
		Kind   fiscal.RejectionKind
		Waits  bool
		Action string
	}](t, "explain_rejection.json")
	for code, tt := range tests {
		got, waits := fiscal.ExplainRejection(code, ""), fiscal.IsTransient(code)
		if got.Code != strings.ToUpper(strings.TrimSpace(code)) || got.Origin != tt.Origin || got.Kind != tt.Kind || waits != tt.Waits {
			t.Errorf("%s: %s, %s, %s, %t, want %+v", code, got.Code, got.Origin, got.Kind, waits, tt)
		}
		if action := got.ActionFor("integration_id").In(t.Context()); !strings.Contains(action, tt.Action) || !strings.HasSuffix(action, ".") {
			t.Errorf("%s: action %q, want sentences with %q", code, action, tt.Action)
		}
	}
}

func TestRejection_saysHowAReaderGoesOn(t *testing.T) {
	t.Parallel()
	ctx := text.InForm(t.Context(), text.Action)
	for code, want := range map[string][2]string{
		"998": {
			"correct what it names, and invoke the action again: the provider sends the invoice again under the same transaction_id; if the service refuses that, an error says so.",
			"corrija o que ela aponta e execute a action de novo: o provider reenvia a nota com o mesmo transaction_id e avisa se o serviço não aceitar o reenvio.",
		},
		"110": {"then issue the sale under a new transaction_id.", "emita a venda com um transaction_id novo."},
		"610": {
			"Then invoke the action again: the provider sends the invoice again under the same transaction_id; if the service refuses that, an error says so.",
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
		expect.NoError(t, err)
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
	if len(known) < 225 {
		t.Errorf("%d codes are known, want 225", len(known))
	}
	// Numbers first, then ABRASF's, then the national ones.
	order := func(code string) string {
		digits := strings.TrimLeft(code, "EGLNR")
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
	for _, tt := range rows.Read[[]struct {
		Code, Model string
		Explained   bool
	}](t, "explain_rejection_a_code_of_one_kind_says_nothing_of_another.json") {
		if got := fiscal.ExplainRejection(tt.Code, tt.Model); !got.Cause.IsZero() != tt.Explained || got.ActionFor("id").In(t.Context()) == "" {
			t.Errorf("%s of %q: %+v", tt.Code, tt.Model, got)
		}
	}
	if got := fiscal.ExplainRejection("SPD003", "serviceInvoice"); got.Origin != fiscal.OriginService {
		t.Errorf("%+v", got)
	}
}

// What is authorized, under way, or about a cancellation, an event or a consultation says nothing of sending it again.
func TestExplainRejection_neverAdvisesToSendAgainWhatIsNoRejection(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"100", "103", "105", "106", "120", "150", "217", "221", "420", "493", "578", "613", "618", "573", "580", "690"} {
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
		expect.Is(t, [2]bool{past.HoldsOn(day), present.HoldsOn(day)}, want, "%q", day)
	}
}

var rejectionsWrite = flag.Bool("rejections-write", false, "write the table of the known rejections into the guides")

const (
	rejectionsGuide = "templates/guides/frequent-rejections.md"
	rejeicoesGuide  = "templates/guides/rejeicoes-frequentes.md"
	rejectionsBegin = "<!-- The table is written by: go test ./internal/fiscal -run TestRejectionsGuides -rejections-write -->\n"
	rejectionsEnd   = "<!-- End of the table. -->\n"
)

// portugueseSource words the source of a code in Portuguese.
var portugueseSource = strings.NewReplacer(
	"issue date", "data de emissão", "rules of the DPS", "regras da DPS", "rules of ", "regras de ", "each state decides", "cada UF decide",
	"rule of ", "regra de ", "rules ", "regras ", "rule ", "regra ", " and ", " e ", "ended by", "extinta pela",
	"error ", "erro ", "status of the service", "status do serviço",
	"status of the document", "status do documento", "status of the batch", "status do lote", "status query", "consulta",
	"cancellation", "cancelamento", "denied use; ended by", "uso denegado; extinto pelo", "and NT", "e NT",
	"certificate of the signature", "certificado da assinatura", "of the signature", "da assinatura", "improper use", "consumo indevido",
	"XML schema of the message", "schema XML da mensagem", "XML schema of the NF-e", "schema XML da NF-e", "events", "eventos", "field ", "campo ",
	"national NFS-e", "NFS-e nacional", "for receivers without registration", "para não contribuintes", "for NFC-e", "para NFC-e", "for finNFe", "para finNFe",
	"tolerance of", "tolerância de", "0.50", "0,50", "0.01", "0,01", "annex", "anexo", "register", "cadastro", "group", "grupo",
	"table of codes", "tabela de códigos", "facultative: each state decides", "facultativa: cada UF decide")

// rejectionsTables are what the provider knows of the codes, as Markdown, by guide. What to run then stands above them.
func rejectionsTables(ctx context.Context) map[string]string {
	var english, portuguese strings.Builder
	english.WriteString("| Code | Of | Why | What to do | Source |\n|---|---|---|---|---|\n")
	portuguese.WriteString("| Código | Documento | Motivo | O que fazer | Fonte |\n|---|---|---|---|---|\n")
	en, pt := text.InLanguage(ctx, text.English), text.InLanguage(ctx, text.Portuguese)
	for _, law := range fiscal.Laws() {
		r, mark, marca := fiscal.ExplainRejection(law.Code, ""), "", ""
		if r.Kind == fiscal.RejectionTransient {
			mark, marca = " (transient)", " (transitória)"
		}
		const row = "| `%s`%s | %s | %s | %s | %s |\n"
		remedy := r.RemedyFor("integration_id")
		fmt.Fprintf(&english, row, r.Code, mark, law.Of, r.Cause.In(en), remedy.In(en), r.Source)
		fmt.Fprintf(&portuguese, row, r.Code, marca, law.Of, r.Cause.In(pt), remedy.In(pt), portugueseSource.Replace(r.Source))
	}
	return map[string]string{rejectionsGuide: english.String(), rejeicoesGuide: portuguese.String()}
}

func TestRejectionsGuides_showEachKnownCode(t *testing.T) {
	t.Parallel()
	for guide, want := range rejectionsTables(t.Context()) {
		file := "../../" + guide
		page, err := os.ReadFile(file)
		expect.NoError(t, err)
		head, rest, begun := strings.Cut(string(page), rejectionsBegin)
		table, tail, ended := strings.Cut(rest, rejectionsEnd)
		switch {
		case !begun || !ended:
			t.Errorf("%s lacks the lines between which the table stands", guide)
		case *rejectionsWrite:
			if err := os.WriteFile(file, []byte(head+rejectionsBegin+"\n"+want+"\n"+rejectionsEnd+tail), 0o600); err != nil {
				t.Error(err)
			}
		case strings.TrimSpace(table) != strings.TrimSpace(want):
			t.Errorf("the table in %s is not what the provider knows; the line before it says how to write it", guide)
		}
	}
}
