package rotation

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// problem is why a rotation has not happened, or why its outcome is not known. It has no
// words for a person.
type problem struct {
	kind  problemKind
	entry string    // where the record is
	begun time.Time // when the request of the record began
	lost  error     // why the request of this run had no answer; nil where it had one, or was not sent
	cause error     // of the last request, or of the journal
}

type problemKind string

const (
	unreadable       problemKind = "unreadable record" // nothing tells what became of a request: no record, or a mask
	unrecorded       problemKind = "unrecorded"        // the journal could not be used, so that nothing was sent
	secretUnreadable problemKind = "secret unreadable" // the secret could not be read before
	refused          problemKind = "refused"           // the service did not rotate
	unreadableAfter  problemKind = "unreadable after"  // the rotation was sent, and the secret could not be read since
	unchanged        problemKind = "unchanged"         // the rotation was sent, and the secret is the one from before
)

func (p *problem) Error() string { return fmt.Sprintf("rotation: %s: %v", p.kind, p.cause) }

func (p *problem) diagnostics(ctx context.Context, front message.Front) diag.Diagnostics {
	outcome := "The service accepted the rotation"
	if p.lost != nil {
		outcome = "The response to the rotation was lost (" + message.Clause(p.lost) + ")"
	}
	switch p.kind {
	case unrecorded:
		return message.Unrecorded("rotation of the webhook secret", p.cause, front.Again)
	case unreadable:
		began, sent := p.begun.UTC().Format(time.RFC3339), "Nothing was sent."
		happened := "A rotation began at " + began + " and got no response"
		if p.lost != nil {
			happened, sent = outcome, "Nothing was sent a second time."
		}
		return message.Error("Cannot tell whether a rotation has happened", happened+". The former secret and the "+
			"current one cannot be compared: the service shows it masked, or the journal cannot be read. "+sent+
			" No run rotates again by itself.",
			"Compare the secret at the service with the one that your receivers know. Then remove "+p.entry+" and "+
				front.InSentence()+", which rotates.")
	case secretUnreadable:
		return front.APIError(ctx, "read webhook secret", p.cause, nil)
	case unreadableAfter:
		return message.Error("Cannot read the rotated webhook secret",
			outcome+", and the secret could not be read afterwards: "+message.Reason(p.cause),
			front.Again+" on this machine: it compares the secret with the former one, and never rotates twice.")
	case unchanged:
		return message.Error("Webhook secret did not change",
			outcome+", and the service still shows the secret from before. Nothing was sent a second time.",
			front.Again+" on this machine: it adopts the rotation if the secret has changed by then; otherwise it rotates.")
	default:
		return front.APIError(ctx, "rotate webhook secret", p.cause, nil)
	}
}

// warnings says what a person should know of a rotation that has happened.
func (d *outcome) warnings(front message.Front) (warnings diag.Diagnostics) {
	at := d.at.UTC().Format(time.RFC3339)
	earlier := front.Either("A rotation with the same triggers", "A rotation by this action")
	switch {
	case d.takenOver && d.answered:
		warnings.AddWarning("Adopted an earlier rotation of the webhook secret", fmt.Sprintf(
			"%s was made at %s by an earlier run. It was adopted, and nothing was sent now.%s", earlier, at,
			front.Either(" To rotate again, change `triggers`.", "")))
	case d.takenOver:
		warnings.AddWarning("Adopted an earlier rotation of the webhook secret", fmt.Sprintf(
			"%s began at %s and its response was lost. The secret has changed since, so it has happened; nothing was "+
				"sent a second time.", earlier, at))
	case d.lost != nil:
		warnings.AddWarning("Response to a rotation of the webhook secret lost", fmt.Sprintf(
			"The response was lost (%s). The secret has changed, so the rotation has happened. Nothing was sent a "+
				"second time.", message.Clause(d.lost)))
	}
	return warnings
}
