package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// The parts of an invoice that the issuance resource and the invoice data
// sources both show.

var (
	rpsTypes              = map[string]attr.Type{"number": types.Int64Type, "series": types.StringType}
	authorizationTypes    = map[string]attr.Type{"date": types.StringType, "protocol": types.StringType, "digest_value": types.StringType}
	processingDetailTypes = map[string]attr.Type{
		"status": types.StringType, "code": types.StringType, "message": types.StringType, "on": types.StringType,
	}
	cancellationTypes = map[string]attr.Type{"date": types.StringType, "protocol": types.StringType, "justification": types.StringType}
	contingencyTypes  = map[string]attr.Type{"date": types.StringType, "reason": types.StringType}
)

func rpsFromAPI(r *einvoice.RPS) types.Object {
	if r == nil {
		return types.ObjectNull(rpsTypes)
	}
	return types.ObjectValueMust(rpsTypes, map[string]attr.Value{"number": attribute.IntOrNull(r.Number), "series": attribute.TextOrNull(r.Series)})
}

func authorizationFromAPI(a *einvoice.Authorization) types.Object {
	if a == nil {
		return types.ObjectNull(authorizationTypes)
	}
	return types.ObjectValueMust(authorizationTypes, map[string]attr.Value{
		"date": attribute.TextOrNull(a.Date), "protocol": attribute.TextOrNull(a.Protocol), "digest_value": attribute.TextOrNull(a.DigestValue),
	})
}

func processingDetailFromAPI(p *einvoice.ProcessingDetail) types.Object {
	if p == nil {
		return types.ObjectNull(processingDetailTypes)
	}
	return types.ObjectValueMust(processingDetailTypes, map[string]attr.Value{
		"status": attribute.TextOrNull(p.Status), "code": attribute.TextOrNull(p.Code), "message": attribute.TextOrNull(p.Message), "on": attribute.TextOrNull(p.On),
	})
}

func cancellationFromAPI(c *einvoice.Cancellation) types.Object {
	if c == nil {
		return types.ObjectNull(cancellationTypes)
	}
	return types.ObjectValueMust(cancellationTypes, map[string]attr.Value{
		"date": attribute.TextOrNull(c.Date), "protocol": attribute.TextOrNull(c.Protocol), "justification": attribute.TextOrNull(c.Justification),
	})
}

func contingencyFromAPI(c *einvoice.Contingency) types.Object {
	if c == nil {
		return types.ObjectNull(contingencyTypes)
	}
	return types.ObjectValueMust(contingencyTypes, map[string]attr.Value{"date": attribute.TextOrNull(c.Date), "reason": attribute.TextOrNull(c.Reason)})
}
