package letter_test

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestCorrectionLetterAction_sendsALetterOnce(t *testing.T) {
	t.Parallel()
	const name = "einvoice_correction_letter"
	arguments := func(id string) map[string]any {
		return map[string]any{"invoice_id": id, "letter": fixture.TestLetter}
	}
	t.Run("and not again when it is invoked again", func(t *testing.T) {
		t.Parallel()
		s := sandbox.Start(t, sandbox.Options{})
		id := fixture.AuthorizedNFe(s)
		testkit.Serve(t, s, nil).Invoke(name, arguments(id)).Expect(t, "has the letter as event", "", "")
		testkit.Serve(t, s, nil).Invoke(name, arguments(id)).Expect(t, "has the letter as event", "", "nothing was sent now. Change the text to send another one.")
		other := arguments(id)
		other["letter"] = "Onde se lê 2 volumes, leia-se 3 volumes."
		testkit.Serve(t, s, nil).Invoke(name, other).Expect(t, "has the letter as event", "", "")
		fixture.WantLetters(t, s, id, 2, 2)
	})
	t.Run("and only for an authorized NF-e", func(t *testing.T) {
		t.Parallel()
		s := sandbox.Start(t, sandbox.Options{})
		id := fixture.NFe(s, "enqueued")
		testkit.Serve(t, s, nil).Invoke(name, arguments(id)).Expect(t, "", "Invoke the action after the authorization.", "")
		fixture.WantLetters(t, s, id, 0, 0)
	})
}
