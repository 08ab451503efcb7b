package rotation

import (
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Every text that a rotation can end with. None of them holds a secret.

func rotationNotBegun(err error) diag.Diagnostics {
	return message.Error("Cannot rotate webhook secret", "Nothing was sent: "+message.Sentence(err.Error()),
		"Another run on this machine may be rotating. Run apply again when it has ended.")
}

func unreadableRotations(entry *journal.Entry) diag.Diagnostics {
	return message.Error("Cannot tell whether a rotation has happened",
		fmt.Sprintf("The journal of rotations on this machine says that one began at %s and was never answered, and the rest of it cannot be read. Nothing was sent.",
			entry.State().Begun.UTC().Format(time.RFC3339)),
		"Compare the secret at the service with the one that your receivers know. Then remove "+entry.Path()+" and run apply again, which rotates.")
}

func unwritableRotations(entry *journal.Entry, err error) diag.Diagnostics {
	return message.Error("Cannot write the journal of rotations", message.Sentence(err.Error()),
		"A rotation is sent only when this machine can remember it, so that a lost answer never leads to a second one. Make "+entry.Path()+
			" writable, or set EINVOICE_CACHE_DIR to another directory, and run apply again: what has happened by now is taken over.")
}

func rotationAdopted(begun time.Time) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Took over an earlier rotation of the webhook secret",
		fmt.Sprintf("A rotation with the same triggers began at %s and its answer was lost. The secret has changed since, so it has happened; nothing was sent a second time.",
			begun.UTC().Format(time.RFC3339)))
}

// rotationTakenOver is a rotation that was answered in a run that ended before
// its state was written.
func rotationTakenOver(done *rotated) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Took over an earlier rotation of the webhook secret",
		fmt.Sprintf("A rotation with the same triggers was made at %s, in a run that ended before it could write that down. Nothing was sent now.",
			done.at.UTC().Format(time.RFC3339)))
}

func rotationAnswerLost(lost error) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Answer to a rotation of the webhook secret lost",
		fmt.Sprintf("The answer was lost (%s). The secret has changed, so the rotation has happened; nothing was sent a second time.", strings.TrimSuffix(lost.Error(), ".")))
}

// rotationUnread is a rotation that has happened, or may have, whose new secret
// could not be read.
func rotationUnread(lost, err error) diag.Diagnostics {
	happened := "The service accepted the rotation"
	if lost != nil {
		happened = "The answer to the rotation was lost (" + strings.TrimSuffix(lost.Error(), ".") + ")"
	}
	return message.Error("Cannot read the rotated webhook secret", happened+", and the secret could not be read afterwards: "+message.Sentence(err.Error()),
		"Run apply again on this machine: it compares the secret with the one from before, takes the rotation over if it has happened, and does not rotate a second time then.")
}

// rotationUnseen is a rotation after which the secret is the one from before.
func rotationUnseen(lost error) diag.Diagnostics {
	happened := "The service accepted the rotation, and still shows the secret from before."
	if lost != nil {
		happened = "The answer to the rotation was lost (" + strings.TrimSuffix(lost.Error(), ".") + "), and the service still shows the secret from before."
	}
	return message.Error("Webhook secret did not change", happened+" Nothing was sent a second time.",
		"Run apply again on this machine: if the secret has changed by then the rotation is taken over, otherwise it is sent again.")
}

// rotationStays tells before a destroy what it does not undo.
func rotationStays(m *rotationModel) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Webhook secret stays as it was rotated",
		fmt.Sprintf("Destroying the rotation of %s (id %s) only removes it from state. The service goes on signing with the secret in force; the one from before does not come back.",
			m.RotatedAt.ValueString(), m.ID.ValueString()))
}

const rotationNoImport = "A rotation is something that has happened and the service keeps no record of it, so there is nothing to import: creating this resource rotates."
