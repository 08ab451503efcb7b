package issuance

import (
	"regexp"
	"unicode/utf8"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var notInIntegrationID = regexp.MustCompile(`[^A-Za-z0-9_.:-]`)

var integrationIDRule, reasonRule = text.Of("rule.integration_id", nil), text.Of("rule.reason", nil)

// IntegrationIDValidator checks the identity of an invoice.
var IntegrationIDValidator = attribute.TextCheck{Rule: integrationIDRule, Check: func(c attribute.Checked) {
	length, other := utf8.RuneCountInString(c.Text), notInIntegrationID.FindString(c.Text)
	switch {
	case other != "":
		c.Refuse("order-2026-0001", text.Of("value.holds", text.With{"what": other}))
	case length < 1 || length > 36:
		c.Refuse("order-2026-0001", text.Of("value.characters", text.With{"length": length}))
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

// CancellationReasonValidator checks what the authority wants of a reason. That it wants at
// most 255 characters is only reported, so more warn.
var CancellationReasonValidator = attribute.TextCheck{Rule: reasonRule, Check: func(c attribute.Checked) {
	switch length := utf8.RuneCountInString(c.Text); {
	case length < 15:
		c.Refuse("Ordered twice by mistake", text.Of("value.length", text.With{"length": length}))
	case length > 255:
		c.WarnOfLength(length, 255)
	}
	c.WarnOfLayout()
}}
