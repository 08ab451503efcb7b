package invoice

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestCheckReturn_asksForTheOriginOfEachItem(t *testing.T) {
	t.Parallel()
	const nested = `{"cfop":1202,"origin":{"accessKey":"` + fixture.OriginKey + `","itemNumber":2}}`
	for name, test := range map[string]struct {
		payload string
		want    []string // none for no warning
	}{
		"an origin in an object":                {payload: fixture.ReturnOf(nested, "")},
		"an origin in a list":                   {payload: fixture.ReturnOf(`{"origins":[{"accessKey":"`+fixture.OriginKey+`","itemNumber":2}]}`, "")},
		"an origin among the item's own fields": {payload: fixture.ReturnOf(`{"cfop":1202,"originAccessKey":"`+fixture.OriginKey+`","originItemNumber":1}`, "")},
		"a number as text":                      {payload: fixture.ReturnOf(`{"origin":{"accessKey":"`+fixture.OriginKey+`","itemNumber":"2"}}`, "")},
		"a key in groups of four":               {payload: fixture.ReturnOf(`{"origin":{"accessKey":"3315 0308 3707 7900 0149 5500 1000 1100 9310 0241 0775","itemNumber":2}}`, "")},
		"a key as the XML writes it":            {payload: fixture.ReturnOf(`{"origin":{"accessKey":"NFe`+fixture.OriginKey+`","itemNumber":2}}`, "")},
		"no items at all":                       {payload: fixture.ReturnOf(``, "")},
		"an item without an origin": {
			payload: fixture.ReturnOf(nested+`,{"cfop":1202}`, ""),
			want:    []string{"Return without origin documents", "`items[1]`", "DFeReferenciado", "From 2026-09-01 on"},
		},
		"a key that is too short":   {payload: fixture.ReturnOf(`{"origin":{"accessKey":"3315","itemNumber":2}}`, ""), want: []string{"Return without origin documents"}},
		"an item that is no object": {payload: fixture.ReturnOf(`"x"`, ""), want: []string{"Return without origin documents"}},
		"a key without an item number": {
			payload: fixture.ReturnOf(`{"cfop":1202,"originAccessKey":"`+fixture.OriginKey+`"}`, ""), want: []string{"No item number was found", "`items[0]`"},
		},
		"an object without an item number": {
			payload: fixture.ReturnOf(`{"origin":{"accessKey":"`+fixture.OriginKey+`","itemNumber":0}}`, ""), want: []string{"No item number was found"},
		},
		"a wrong check digit": {
			payload: fixture.ReturnOf(`{"origin":{"accessKey":"33150308370779000149550010001100931002410776","itemNumber":2}}`, ""),
			want:    []string{"The access key in `items[0]` is not valid"},
		},
		"references of the whole note": {
			payload: fixture.ReturnOf(nested, `,"referencedDocuments":[{"accessKey":"`+fixture.OriginKey+`"}]`),
			want:    []string{"Take `referencedDocuments` out"},
		},
		"an empty list of references": {payload: fixture.ReturnOf(nested, `,"referencedDocuments":[]`)},
		"another purpose":             {payload: `{"purposeType":"complement","items":[{}],"referencedDocuments":[{}]}`},
		"no purpose":                  {payload: `{"items":[{}]}`},
		"no JSON":                     {payload: `{"purposeType":`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := issuanceModel{Model: types.StringValue("productInvoice"), PayloadJSON: attribute.JSONValue(test.payload)}
			diags := m.checkReturn(t.Context(), time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
			fixture.WantTexts(t, diags, test.want...)
			if diags.HasError() || len(diags) != min(len(test.want), 1) {
				t.Errorf("diagnostics %v", diags)
			}
		})
	}
}

func TestCheckReturn_appliesFromTheDayOfItsEnvironment(t *testing.T) {
	t.Parallel()
	day := func(text string) time.Time {
		t, _ := einvoice.ParseTime(text)
		return t
	}
	for name, test := range map[string]struct {
		now, more string
		warns     bool
	}{
		"without an environment the later day counts: before": {now: "2026-08-31T23:59:59"},
		"without an environment the later day counts: on it":  {now: "2026-09-01", warns: true},
		"production: before":                   {now: "2026-08-31T23:59:59", more: `,"environmentType":"production"`},
		"production: on the day":               {now: "2026-09-01", more: `,"environmentType":"production"`, warns: true},
		"simulation is like production":        {now: "2026-08-31", more: `,"environmentType":"simulation"`},
		"homologation: before":                 {now: "2026-06-30T23:59:59", more: `,"environmentType":"development"`},
		"homologation: on the day":             {now: "2026-07-01", more: `,"environmentType":"development"`, warns: true},
		"the day is that of São Paulo":         {now: "2026-09-01T02:59:59Z"},
		"the effective date counts before all": {now: "2026-11-01", more: `,"effectiveDate":"2026-08-01","issuedOn":"2026-10-01"`},
		"the date of issue counts before now":  {now: "2026-08-01", more: `,"issuedOn":"2026-10-01T08:00:00-03:00"`, warns: true},
		"a date that is none does not count":   {now: "2026-10-01", more: `,"effectiveDate":"soon"`, warns: true},
	} {
		m := issuanceModel{Model: types.StringValue("productInvoice"), PayloadJSON: attribute.JSONValue(fixture.ReturnOf(`{"cfop":1202}`, test.more))}
		if got := len(m.checkReturn(t.Context(), day(test.now))) > 0; got != test.warns {
			t.Errorf("%s: warns: %t, want %t", name, got, test.warns)
		}
	}
}

func TestCheckReturn_leavesAloneWhatIsNoNFeOrNotKnown(t *testing.T) {
	t.Parallel()
	bare := attribute.JSONValue(fixture.ReturnOf(`{}`, ""))
	for name, m := range map[string]issuanceModel{
		"an NFC-e":             {Model: types.StringValue("consumerInvoice"), PayloadJSON: bare},
		"an unknown model":     {Model: types.StringUnknown(), PayloadJSON: bare},
		"an unknown payload":   {Model: types.StringValue("productInvoice"), PayloadJSON: attribute.JSON{StringValue: types.StringUnknown()}},
		"a payload without it": {Model: types.StringValue("productInvoice"), PayloadJSON: attribute.JSONNull()},
	} {
		if diags := m.checkReturn(t.Context(), time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)); len(diags) > 0 {
			t.Errorf("%s: diagnostics %v, want none", name, diags)
		}
	}
}

func TestContingencyWarning_namesTheModelsThatHaveNone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		model   types.String
		accepts types.Bool
		want    []string
	}{
		"an NFC-e has it":         {types.StringValue("consumerInvoice"), types.BoolValue(true), nil},
		"an NF-e is authorized":   {types.StringValue("productInvoice"), types.BoolValue(true), []string{"Nothing to accept: NF-e", "another environment", "allow_offline_contingency"}},
		"an NFS-e knows none":     {types.StringValue("serviceInvoice"), types.BoolValue(true), []string{"Nothing to accept: NFS-e", "has no contingency"}},
		"an unknown model passes": {types.StringUnknown(), types.BoolValue(true), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := issuanceModel{Model: test.model, AcceptContingency: test.accepts}
			diags := m.contingencyWarning(t.Context())
			fixture.WantTexts(t, diags, test.want...)
			if diags.HasError() || len(diags) != min(len(test.want), 1) {
				t.Errorf("diagnostics %v", diags)
			}
		})
	}
}
