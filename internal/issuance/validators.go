package issuance

import (
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
)

const integrationIDRule = "1 to 36 characters, each of them a letter, a digit, `_`, `.`, `:` or `-`"

var notInIntegrationID = regexp.MustCompile(`[^A-Za-z0-9_.:-]`)

// IntegrationIDValidator checks the identity of an invoice.
var IntegrationIDValidator = attribute.TextCheck{Rule: integrationIDRule, Check: func(c attribute.Checked) {
	length, other := utf8.RuneCountInString(c.Text), notInIntegrationID.FindString(c.Text)
	switch {
	case other != "":
		c.Refuse("order-2026-0001", fmt.Sprintf("This one has a %q.", other))
	case length < 1 || length > 36:
		c.Refuse("order-2026-0001", fmt.Sprintf("This one has %d characters.", length))
	}
}}

// TransactionIDValidator checks the identity of an order, whose length no source states.
var TransactionIDValidator = attribute.TextCheck{Rule: integrationIDRule, Check: func(c attribute.Checked) {
	if length := utf8.RuneCountInString(c.Text); length > 36 && !notInIntegrationID.MatchString(c.Text) {
		c.WarnOfLength(length, 36)
		return
	}
	IntegrationIDValidator.Check(c)
}}

const reasonRule = "a text of 15 to 255 characters"

// CancellationReasonValidator checks what the authority wants of a reason. That it wants at
// most 255 characters is only reported, so more warn.
var CancellationReasonValidator = attribute.TextCheck{Rule: reasonRule, Check: func(c attribute.Checked) {
	switch length := utf8.RuneCountInString(c.Text); {
	case length < 15:
		c.Refuse("Ordered twice by mistake", fmt.Sprintf("This one has %d.", length))
	case length > 255:
		c.WarnOfLength(length, 255)
	}
}}
