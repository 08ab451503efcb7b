package rotation

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

func TestRotationTexts(t *testing.T) {
	t.Parallel()
	entry, err := journal.OpenFiles(t.TempDir()).Entry(t.Context(), journalKindRotation, "texts")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = entry.Close() })
	lost, unread := errors.New("connection reset"), errors.New("HTTP 403")
	begun := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	state := &rotationModel{ID: types.StringValue("r1"), RotatedAt: types.StringValue("2026-11-20T12:00:00Z")}
	for _, test := range []struct {
		name     string
		diags    diag.Diagnostics
		severity diag.Severity
		words    []string
	}{
		{"waiting for another run ended", rotationNotBegun(lost), diag.SeverityError, []string{"Nothing was sent: connection reset.", "Run apply again"}},
		{"the journal cannot be read", unreadableRotations(entry), diag.SeverityError, []string{"Nothing was sent", "remove " + entry.Path(), "run apply again"}},
		{"the journal cannot be written", unwritableRotations(entry, lost), diag.SeverityError, []string{"connection reset.", entry.Path(), "EINVOICE_CACHE_DIR", "run apply again"}},
		{"an earlier rotation was taken over", diag.Diagnostics{rotationAdopted(begun)}, diag.SeverityWarning, []string{"2026-11-20T12:00:00Z", "nothing was sent a second time"}},
		{"the answer was lost and the secret has changed", diag.Diagnostics{rotationAnswerLost(lost)}, diag.SeverityWarning, []string{"(connection reset)", "has happened"}},
		{"the answer was lost and the secret cannot be read", rotationUnread(lost, unread), diag.SeverityError, []string{"was lost (connection reset)", "HTTP 403.", "Run apply again"}},
		{"the secret cannot be read after an answer", rotationUnread(nil, unread), diag.SeverityError, []string{"accepted the rotation", "HTTP 403.", "does not rotate a second time"}},
		{"the answer was lost and the secret is the same", rotationUnseen(lost), diag.SeverityError, []string{"was lost (connection reset)", "Nothing was sent a second time", "Run apply again"}},
		{"the secret is the same after an answer", rotationUnseen(nil), diag.SeverityError, []string{"accepted the rotation", "Run apply again"}},
		{"a destroy leaves the secret", diag.Diagnostics{rotationStays(state)}, diag.SeverityWarning, []string{"2026-11-20T12:00:00Z", "id r1", "does not come back"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if len(test.diags) != 1 || test.diags[0].Severity() != test.severity {
				t.Fatalf("got %v, want one of severity %s", test.diags, test.severity)
			}
			summary, detail := test.diags[0].Summary(), test.diags[0].Detail()
			if len(summary) > 60 || strings.HasSuffix(summary, ".") {
				t.Errorf("the summary %q must have 60 characters at most and no period", summary)
			}
			if !strings.HasSuffix(detail, ".") {
				t.Errorf("%q must end with a period", detail)
			}
			for _, words := range test.words {
				if !strings.Contains(detail, words) {
					t.Errorf("%q does not say %q", detail, words)
				}
			}
		})
	}
}
