package invoice

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// The types of the parts of an invoice that the issuance resource and the invoice
// data sources both show.
var (
	RPSTypes              = map[string]attr.Type{"number": types.Int64Type, "series": types.StringType}
	AuthorizationTypes    = map[string]attr.Type{"date": types.StringType, "protocol": types.StringType, "digest_value": types.StringType}
	ProcessingDetailTypes = map[string]attr.Type{
		"status": types.StringType, "code": types.StringType, "message": types.StringType, "on": types.StringType,
	}
	CancellationTypes = map[string]attr.Type{"date": types.StringType, "protocol": types.StringType, "justification": types.StringType}
	ContingencyTypes  = map[string]attr.Type{"date": types.StringType, "reason": types.StringType}
)

// RPSFromAPI reads the provisional receipt of an NFS-e.
func RPSFromAPI(r *einvoice.RPS) types.Object {
	if r == nil {
		return types.ObjectNull(RPSTypes)
	}
	return types.ObjectValueMust(RPSTypes, map[string]attr.Value{"number": attribute.IntOrNull(r.Number), "series": attribute.TextOrNull(r.Series)})
}

// AuthorizationFromAPI reads the authorization.
func AuthorizationFromAPI(a *einvoice.Authorization) types.Object {
	if a == nil {
		return types.ObjectNull(AuthorizationTypes)
	}
	return types.ObjectValueMust(AuthorizationTypes, map[string]attr.Value{
		"date": attribute.TextOrNull(a.Date), "protocol": attribute.TextOrNull(a.Protocol), "digest_value": attribute.TextOrNull(a.DigestValue),
	})
}

// ProcessingDetailFromAPI reads the last step of the processing.
func ProcessingDetailFromAPI(p *einvoice.ProcessingDetail) types.Object {
	if p == nil {
		return types.ObjectNull(ProcessingDetailTypes)
	}
	return types.ObjectValueMust(ProcessingDetailTypes, map[string]attr.Value{
		"status": attribute.TextOrNull(p.Status), "code": attribute.TextOrNull(p.Code), "message": attribute.TextOrNull(p.Message), "on": attribute.TextOrNull(p.On),
	})
}

// CancellationFromAPI reads the cancellation.
func CancellationFromAPI(c *einvoice.Cancellation) types.Object {
	if c == nil {
		return types.ObjectNull(CancellationTypes)
	}
	return types.ObjectValueMust(CancellationTypes, map[string]attr.Value{
		"date": attribute.TextOrNull(c.Date), "protocol": attribute.TextOrNull(c.Protocol), "justification": attribute.TextOrNull(c.Justification),
	})
}

// ContingencyFromAPI reads why and since when an invoice is in contingency.
func ContingencyFromAPI(c *einvoice.Contingency) types.Object {
	if c == nil {
		return types.ObjectNull(ContingencyTypes)
	}
	return types.ObjectValueMust(ContingencyTypes, map[string]attr.Value{"date": attribute.TextOrNull(c.Date), "reason": attribute.TextOrNull(c.Reason)})
}
