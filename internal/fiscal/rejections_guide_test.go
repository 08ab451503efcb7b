package fiscal_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

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
	"tolerance of", "tolerância de", "0.50", "0,50", "0.01", "0,01", "annex", "anexo", "register", "cadastro", "group", "grupo")

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
		if err != nil {
			t.Fatal(err)
		}
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
