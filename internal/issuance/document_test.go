package issuance

import (
	"encoding/base64"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestDocument_fill(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, format string
		document     string
		text         bool
	}{
		{"an XML", "xml", "<a>ção</a>", true},
		{"an XML in another encoding", "xml", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xe7</a>", false},
		{"a PDF with any bytes", "pdf", "%PDF-1.4\n\xff\x00", false},
	} {
		d := Document{Format: types.StringValue(test.format)}
		d.Fill([]byte(test.document))
		if decoded, err := base64.StdEncoding.DecodeString(d.ContentBase64.ValueString()); err != nil || string(decoded) != test.document {
			t.Errorf("%s: content_base64 holds %q, %v", test.name, decoded, err)
		}
		if d.Content.IsNull() == test.text || test.text && d.Content.ValueString() != test.document {
			t.Errorf("%s: content is %s", test.name, d.Content)
		}
	}
}
