package fiscal_test

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

var rejectionsWrite = flag.Bool("rejections-write", false, "write the table of the known rejections into the guides")

const (
	rejectionsGuide = "templates/guides/frequent-rejections.md"
	rejeicoesGuide  = "templates/guides/rejeicoes-frequentes.md"
	rejectionsBegin = "<!-- The table is written by: go test ./internal/fiscal -run TestRejectionsGuides -rejections-write -->\n"
	rejectionsEnd   = "<!-- End of the table. -->\n"

	// rejectedAgain ends most advice, so that the guides say it once, above the table.
	rejectedAgain = " Then run apply again: the invoice is sent again under the same integration_id."
)

// portugueseRejections are the texts in Portuguese, by code: why, and what to do.
func portugueseRejections(t *testing.T) map[string][2]string {
	t.Helper()
	file, err := os.Open("../sandbox/page/rejections.csv")
	expect.NoError(t, err)
	defer func() { _ = file.Close() }()
	rows, err := csv.NewReader(file).ReadAll()
	expect.NoError(t, err)
	texts := map[string][2]string{}
	for _, row := range rows[1:] {
		texts[row[0]] = [2]string{row[1], row[2]}
	}
	return texts
}

// portugueseSource words the source of a code in Portuguese.
var portugueseSource = strings.NewReplacer(
	"issue date", "data de emissão", "rules of the DPS", "regras da DPS", "rules of ", "regras de ",
	"rule of ", "regra de ", "rules ", "regras ", "rule ", "regra ", " and ", " e ", "ended by", "extinta pela",
	"error ", "erro ", "status of the service", "status do serviço",
	"status of the document", "status do documento", "status of the batch", "status do lote", "status query", "consulta",
	"cancellation", "cancelamento", "denied use; ended by", "uso denegado; extinto pelo", "and NT", "e NT",
	"certificate of the signature", "certificado da assinatura", "of the signature", "da assinatura", "improper use", "consumo indevido",
	"XML schema of the message", "schema XML da mensagem", "XML schema of the NF-e", "schema XML da NF-e", "events", "eventos", "field ", "campo ",
	"national NFS-e", "NFS-e nacional", "for receivers without registration", "para não contribuintes", "for NFC-e", "para NFC-e", "for finNFe", "para finNFe",
	"tolerance of", "tolerância de", "0.50", "0,50", "0.01", "0,01", "annex", "anexo", "register", "cadastro", "group", "grupo")

// rejectionsTables are what the provider knows of the codes, as Markdown, by guide.
func rejectionsTables(t *testing.T) map[string]string {
	t.Helper()
	var english, portuguese strings.Builder
	english.WriteString("| Code | Of | Why | What to do | Source |\n|---|---|---|---|---|\n")
	portuguese.WriteString("| Código | Documento | Motivo | O que fazer | Fonte |\n|---|---|---|---|---|\n")
	texts := portugueseRejections(t)
	for _, law := range fiscal.Laws() {
		r, mark, marca := fiscal.ExplainRejection(law.Code, ""), "", ""
		if r.Kind == fiscal.RejectionTransient {
			mark, marca = " (transient)", " (transitória)"
		}
		fmt.Fprintf(&english, "| `%s`%s | %s | %s | %s | %s |\n",
			r.Code, mark, law.Of, r.Cause, strings.TrimSuffix(r.Action, rejectedAgain), r.Source)
		text, ok := texts[r.Code]
		if !ok {
			t.Errorf("%s has no text in Portuguese", r.Code)
		}
		todo := strings.ReplaceAll(text[1], "{id}", "integration_id")
		fmt.Fprintf(&portuguese, "| `%s`%s | %s | %s | %s | %s |\n",
			r.Code, marca, law.Of, text[0], todo, portugueseSource.Replace(r.Source))
	}
	return map[string]string{rejectionsGuide: english.String(), rejeicoesGuide: portuguese.String()}
}

func TestRejectionsGuides_showEachKnownCode(t *testing.T) {
	t.Parallel()
	for guide, want := range rejectionsTables(t) {
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
