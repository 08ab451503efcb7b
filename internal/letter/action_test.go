package letter_test

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestCorrectionLetterAction_sendsALetterOnce(t *testing.T) {
	t.Parallel()
	const corrections = "/v1/product-invoices/{id}/corrections"
	const name = "einvoice_correction_letter"
	arguments := func(id string) map[string]any {
		return map[string]any{"invoice_id": id, "letter": "Onde se lê 1 volume, leia-se 2 volumes."}
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
		if n := s.Count("POST", corrections); n != 2 {
			t.Errorf("%d letters were sent, want 2", n)
		}
	})
	t.Run("and only for an authorized NF-e", func(t *testing.T) {
		t.Parallel()
		s := sandbox.Start(t, sandbox.Options{})
		testkit.Serve(t, s, nil).Invoke(name, arguments(fixture.NFe(s, "enqueued"))).Expect(t, "", "Invoke the action after the authorization.", "")
		if n := s.Count("POST", corrections); n != 0 {
			t.Errorf("%d letters were sent, want none", n)
		}
	})
}
