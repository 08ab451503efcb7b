package sandbox

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

const (
	contentTypePDF = "application/pdf"
	contentTypeXML = "application/xml"
)

// issuedDocument answers with a document of an invoice after authorization, and in contingency at once. The
// specification names the two documents for consumer invoices; the others' are reported. The earlier 400 is assumed.
func issuedDocument(made func(object) []byte, contentType string) func(*call, object) (any, error) {
	return func(c *call, doc object) (any, error) {
		if !hasDocuments(doc) {
			return nil, invalid("",
				"The document is available after authorization; the invoice is %s.", text(doc, "status"))
		}
		return c.document(made(doc), contentType), nil
	}
}

// correctionDocument is reported: the specification names these downloads without a path.
func correctionDocument(contentType string) func(*call, object) (any, error) {
	return func(c *call, doc object) (any, error) {
		sent, _ := doc["_corrections"].([]any)
		for _, letter := range sent {
			letter, _ := letter.(object)
			switch {
			case !strings.EqualFold(text(letter, "eventId"), c.r.PathValue("eventId")):
			case contentType == contentTypePDF:
				lines := []string{"SEM VALOR FISCAL - SANDBOX", "Carta de correcao", text(letter, "letter")}
				return c.document(pdfPage(lines), contentType), nil
			default:
				xml := `<?xml version="1.0" encoding="UTF-8"?><procEventoNFe><xCorrecao>` + escapeXML(text(letter, "letter")) +
					`</xCorrecao></procEventoNFe>`
				return c.document([]byte(xml), contentType), nil
			}
		}
		return nil, notFound()
	}
}

func hasDocuments(doc object) bool {
	return part(doc, "authorization") != nil || text(doc, "status") == statusInContingent
}

func printedInvoice(doc object) []byte {
	lines := []string{
		"SEM VALOR FISCAL - SANDBOX",
		fmt.Sprintf("%s No. %d - Serie %s", text(doc, "model"), integer(doc, "number"), text(doc, "series")),
		"Emitente: " + text(part(doc, "company"), "legalName") + " " + text(part(doc, "company"), "federalTaxNumber"),
		"Destinatario: " + text(part(doc, "receiver"), "name"),
		"Valor: " + fmt.Sprint(doc["amount"]),
	}
	if key := text(doc, "accessKey"); key != "" {
		lines = append(lines, "Chave de acesso: "+key)
	}
	if protocol := text(part(doc, "authorization"), "protocol"); protocol != "" {
		lines = append(lines, "Protocolo: "+protocol)
	}
	if part(doc, "contingency") != nil {
		lines = append(lines, "EMITIDA EM CONTINGENCIA")
	}
	return pdfPage(lines)
}

// pdfPage is a PDF of one page. It holds ASCII alone, so that it survives being the text of a JSON string.
func pdfPage(lines []string) []byte {
	var content strings.Builder
	content.WriteString("BT /F1 10 Tf 40 800 Td 14 TL\n")
	escape := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`)
	for _, line := range lines {
		fmt.Fprintf(&content, "(%s) Tj T*\n", escape.Replace(ascii(line)))
	}
	content.WriteString("ET")
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var offsets []int
	for i, body := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R " +
			"/Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", content.Len(), content.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	} {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}

func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, unaccent.Replace(s))
}

func signedInvoice(doc object) []byte {
	root, item := "nfeProc", "infNFe"
	if text(doc, "model") == modelService.name {
		root, item = "NFSe", "infNFSe"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?><%s versao="4.00"><%s Id="%s">`,
		root, item, escapeXML(text(doc, "accessKey")))
	for _, field := range []struct{ name, value string }{
		{"serie", text(doc, "series")},
		{"nNF", fmt.Sprint(integer(doc, "number"))},
		{"dhEmi", text(doc, "issuedOn")},
		{"emit", text(part(doc, "company"), "federalTaxNumber")},
		{"dest", text(part(doc, "receiver"), "federalTaxNumber")},
		{"xNome", text(part(doc, "receiver"), "name")},
		{"vNF", fmt.Sprint(doc["amount"])},
	} {
		fmt.Fprintf(&b, "<%s>%s</%s>", field.name, escapeXML(field.value), field.name)
	}
	b.WriteString("<infAdic><infCpl>SEM VALOR FISCAL</infCpl></infAdic>")
	authorization := part(doc, "authorization")
	fmt.Fprintf(&b, `</%s><Signature xmlns="http://www.w3.org/2000/09/xmldsig#">`, item)
	fmt.Fprintf(&b, `<DigestValue>%s</DigestValue></Signature>`, escapeXML(text(authorization, "digestValue")))
	fmt.Fprintf(&b, "<nProt>%s</nProt></%s>", escapeXML(text(authorization, "protocol")), root)
	return b.Bytes()
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}
