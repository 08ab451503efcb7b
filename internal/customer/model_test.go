package customer

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestCreation_answers(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Row            string
		Sent, Answered einvoice.Customer
		Answers        bool
	}](t, "creation_answers.json") {
		expect.Is(t, creation(nil, test.Sent, nil).Answers(&test.Answered), test.Answers, "%s: Answers", test.Row)
	}
}
