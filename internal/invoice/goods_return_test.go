package invoice

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
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
			want:    []string{"Return without origin documents", "`items[1]`", "DFeReferenciado", "From 2026-09-01 on (production)"},
		},
		"a key that is too short":   {payload: fixture.ReturnOf(`{"origin":{"accessKey":"3315","itemNumber":2}}`, ""), want: []string{"Return without origin documents"}},
		"an item that is no object": {payload: fixture.ReturnOf(`"x"`, ""), want: []string{"Return without origin documents"}},
		"a key without an item number": {
			payload: fixture.ReturnOf(`{"cfop":1202,"originAccessKey":"`+fixture.OriginKey+`"}`, ""), want: []string{"Return without item numbers", "`items[0]`"},
		},
		"an object without an item number": {
			payload: fixture.ReturnOf(`{"origin":{"accessKey":"`+fixture.OriginKey+`","itemNumber":0}}`, ""), want: []string{"Return without item numbers"},
		},
		"a wrong check digit": {
			payload: fixture.ReturnOf(`{"origin":{"accessKey":"33150308370779000149550010001100931002410776","itemNumber":2}}`, ""),
			want:    []string{"Doubtful access key", "items[0]", "check digit"},
		},
		"references of the whole note": {
			payload: fixture.ReturnOf(nested, `,"referencedDocuments":[{"accessKey":"`+fixture.OriginKey+`"}]`),
			want:    []string{"References of a return in the wrong place", "`referencedDocuments`", "Take it out"},
		},
		"an empty list of references": {payload: fixture.ReturnOf(nested, `,"referencedDocuments":[]`)},
		"another purpose":             {payload: `{"purposeType":"complement","items":[{}],"referencedDocuments":[{}]}`},
		"no purpose":                  {payload: `{"items":[{}]}`},
		"no JSON":                     {payload: `{"purposeType":`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := issuanceModel{Model: types.StringValue("productInvoice"), PayloadJSON: attribute.JSONValue(test.payload)}
			diags := m.checkReturn(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
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
	for name, test := range rows.Read[map[string]struct {
		Now, More string
		Warns     bool
	}](t, "check_return_applies_from_the_day_of_its_environment.json") {
		m := issuanceModel{Model: types.StringValue("productInvoice"), PayloadJSON: attribute.JSONValue(fixture.ReturnOf(`{"cfop":1202}`, test.More))}
		if got := len(m.checkReturn(day(test.Now))) > 0; got != test.Warns {
			t.Errorf("%s: warns: %t, want %t", name, got, test.Warns)
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
		if diags := m.checkReturn(time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)); len(diags) > 0 {
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
			diags := m.contingencyWarning()
			fixture.WantTexts(t, diags, test.want...)
			if diags.HasError() || len(diags) != min(len(test.want), 1) {
				t.Errorf("diagnostics %v", diags)
			}
		})
	}
}
