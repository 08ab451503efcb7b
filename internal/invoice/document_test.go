package invoice

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
)

func TestDocumentContent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, format string
		document     string
		text         bool
		warns        bool
	}{
		{"an XML", "xml", "<a>ção</a>", true, false},
		{"an XML in another encoding", "xml", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xe7</a>", false, true},
		{"a PDF", "pdf", "%PDF-1.4", false, false},
		{"a PDF with any bytes", "pdf", "%PDF-1.4\n\xff\x00", false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			encoded, text, diags := DocumentContent([]byte(test.document), test.format)
			if decoded, err := base64.StdEncoding.DecodeString(encoded.ValueString()); err != nil || string(decoded) != test.document {
				t.Errorf("content_base64 holds %q, %v", decoded, err)
			}
			if text.IsNull() == test.text || test.text && text.ValueString() != test.document {
				t.Errorf("content is %s", text)
			}
			if warns := strings.Contains(fixture.DiagnosticText(diags), "not UTF-8"); warns != test.warns || diags.HasError() {
				t.Errorf("got %v", diags)
			}
		})
	}
}
