package settings

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// blocksOf reads a settings document as the client does.
func blocksOf(t *testing.T, document string) map[string]einvoice.SettingsBlock {
	t.Helper()
	var blocks map[string]einvoice.SettingsBlock
	if err := json.Unmarshal([]byte(document), &blocks); err != nil {
		t.Fatal(err)
	}
	return blocks
}

// asText makes the raw values readable in a difference.
func asText(blocks map[string]einvoice.SettingsBlock) map[string]map[string]string {
	out := map[string]map[string]string{}
	for name, block := range blocks {
		out[name] = map[string]string{}
		for field, raw := range block {
			out[name][field] = string(raw)
		}
	}
	return out
}

// wants is a managed field by its attribute path, such as "product_invoice.inbound.enabled".
func wants(t *testing.T, at string, value attr.Value) setting {
	t.Helper()
	p := root
	for _, step := range strings.Split(at, ".") {
		found := slices.IndexFunc(p.fields, func(f field) bool { return f.name == step })
		if found < 0 {
			t.Fatalf("there is no setting %s", at)
		}
		p = p.inner(p.fields[found])
	}
	return setting{place: p, value: value}
}

// Every way of writing that a round trip through an encoder would lose.
const oddDocument = `{
  "general": {"decimalPrecision": 2, "unknownNumber": 10.00, "unknownBig": 12345678901234567890, "unknownText": "a<b>&c\u00e9"},
  "productInvoice": {
    "series": "1", "nextNumber": 7, "environmentType": 0, "danfePrintLayout": null,
    "inbound": {"enabled" : false,  "startDate": "2026-01-01T00:00:00-03:00", "unknown": [1.50, {"z": 1, "a": 2}] },
    "futureField": { "b" : 1e2, "a": "\/" }
  },
  "consumerInvoice": {"series": "1", "nextNumber": 1, "tokenId": "000001", "csc": "ABC-123", "allowOfflineContingency": false},
  "serviceInvoice": {"userName": "city", "password": "s3****"},
  "futureBlock": {"x": 1}
}`

func TestMerge(t *testing.T) {
	t.Parallel()
	text, number, flag := types.StringValue, types.Int64Value, types.BoolValue
	changed := func(name, field, value string) map[string]map[string]string {
		block := asText(blocksOf(t, oddDocument))[name]
		block[field] = value
		return map[string]map[string]string{name: block}
	}
	for name, test := range map[string]struct {
		wanted []setting
		want   map[string]map[string]string
	}{
		"a block in which nothing changes is not sent": {
			[]setting{wants(t, "product_invoice.series", text("1")), wants(t, "general.decimal_precision", number(2))},
			map[string]map[string]string{},
		},
		"one changed field leaves every other field of its block byte for byte, and every other block out": {
			[]setting{wants(t, "product_invoice.series", text("2"))},
			changed("productInvoice", "series", `"2"`),
		},
		"a field of an object inside a block changes alone": {
			[]setting{wants(t, "product_invoice.inbound.enabled", flag(true))},
			changed("productInvoice", "inbound", `{"enabled" : true,  "startDate": "2026-01-01T00:00:00-03:00", "unknown": [1.50, {"z": 1, "a": 2}] }`),
		},
		"numbers and texts that an encoder would rewrite stay": {
			[]setting{wants(t, "general.tax_reform_fields_enabled", flag(true))},
			changed("general", "taxReformFieldsEnabled", `true`),
		},
		"an object that the service does not hold is made": {
			[]setting{wants(t, "general.technical_responsible.contact_name", text("Ana")), wants(t, "general.technical_responsible.email", text("a@b.br"))},
			changed("general", "technicalResponsible", `{"contactName":"Ana","email":"a@b.br"}`),
		},
		"a number is never lowered, also when another field of its block changes": {
			[]setting{wants(t, "consumer_invoice.next_number", number(1)), wants(t, "product_invoice.next_number", number(3)), wants(t, "product_invoice.series", text("9"))},
			changed("productInvoice", "series", `"9"`),
		},
		"a number below the floor is raised": {
			[]setting{wants(t, "consumer_invoice.next_number", number(100))},
			changed("consumerInvoice", "nextNumber", `100`),
		},
		"another spelling of the same date is no change": {
			[]setting{wants(t, "product_invoice.inbound.start_date", attribute.SpelledOrNull(attribute.DateTimeSpelling, "2026-01-01"))},
			map[string]map[string]string{},
		},
		"an unset enum is set": {
			[]setting{wants(t, "product_invoice.environment_type", text("development")), wants(t, "product_invoice.inbound.enabled", flag(false))},
			changed("productInvoice", "environmentType", `"development"`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := blocksOf(t, oddDocument)
			blocks, diags := merge(t.Context(), held, test.wanted, nil)
			if diags.HasError() || !reflect.DeepEqual(held, blocksOf(t, oddDocument)) {
				t.Fatalf("what was read has changed, or %v", diags)
			}
			if diff := gocmp.Diff(test.want, asText(blocks)); diff != "" {
				t.Errorf("what is sent (-want +got):\n%s", diff)
			}
		})
	}
}

// A block takes its secret along as the service shows it in clear or as it is configured, and else is refused.
func TestMerge_secrets(t *testing.T) {
	t.Parallel()
	const refused, unsent, absent = "refused", "not sent", "absent"
	secret := func(value string, isWriteOnly, isChanged bool) setting {
		return setting{place: cscSecret, value: types.StringValue(value), isWriteOnly: isWriteOnly, isChanged: isChanged}
	}
	nobody := setting{place: cscSecret, value: types.StringNull()}
	plain, changed := secret("ABCD", false, false), secret("ABXX", false, true)
	written, rewritten := secret("ABCD", true, false), secret("NEWSECRET", true, true)
	for name, test := range map[string]struct {
		held    string // of consumerInvoice, besides its series
		last    sight
		secret  setting
		alone   string // what is sent as csc where nothing else changes
		another string // and where the series changes
	}{
		"in clear":                  {`"csc": "ABCDEFG\u0048"`, none, nobody, unsent, `"ABCDEFG\u0048"`},
		"null":                      {`"csc": null`, none, nobody, unsent, `null`},
		"empty":                     {`"csc": ""`, hidden, nobody, unsent, `""`},
		"masked":                    {`"csc": "AB****"`, none, nobody, unsent, refused},
		"a mask of one letter":      {`"csc": "XXXXXXXXXXXX"`, none, nobody, unsent, refused},
		"a word in brackets":        {`"csc": "<hidden>"`, none, nobody, unsent, refused},
		"may be cut":                {`"csc": "UNKN"`, none, nobody, unsent, refused},
		"left out beside its token": {`"tokenId": "1"`, none, nobody, unsent, refused},
		"left out without a token":  {`"tokenId": null`, none, nobody, unsent, absent},
		"left out, masked before":   {`"tokenId": null`, hidden, nobody, unsent, refused},

		"masked, configured":                 {`"csc": "AB****"`, none, plain, unsent, `"ABCD"`},
		"another mask, configured":           {`"csc": "ab***"`, none, plain, unsent, `"ABCD"`},
		"cut, configured":                    {`"csc": "AB"`, none, plain, unsent, `"ABCD"`},
		"null, configured":                   {`"csc": null`, none, plain, `"ABCD"`, `"ABCD"`},
		"another one in clear, configured":   {`"csc": "OTHERSECRET"`, none, plain, `"ABCD"`, `"ABCD"`},
		"masked, configured anew":            {`"csc": "AB****"`, none, changed, `"ABXX"`, `"ABXX"`},
		"its beginning, configured anew":     {`"csc": "AB"`, none, changed, `"ABXX"`, `"ABXX"`},
		"the same in clear, configured anew": {`"csc": "ABXX"`, none, changed, unsent, `"ABXX"`},

		"masked, write-only":               {`"csc": "AB****"`, none, written, unsent, `"ABCD"`},
		"may be cut, write-only":           {`"csc": "UNKN"`, none, written, unsent, `"ABCD"`},
		"another one in clear, write-only": {`"csc": "OTHERSECRET"`, none, written, unsent, `"OTHERSECRET"`},
		"masked, with a new version":       {`"csc": "AB****"`, none, rewritten, `"NEWSECRET"`, `"NEWSECRET"`},
		"in clear, with a new version":     {`"csc": "OTHERSECRET"`, none, rewritten, `"NEWSECRET"`, `"NEWSECRET"`},
	} {
		for series, want := range map[string]string{"1": test.alone, "2": test.another} {
			held := blocksOf(t, `{"consumerInvoice": {"series": "1", `+test.held+`}}`)
			wanted := []setting{wants(t, "consumer_invoice.series", types.StringValue(series)), test.secret}
			blocks, diags := merge(t.Context(), held, wanted, sights{"csc": test.last})
			got := unsent
			if block := blocks["consumerInvoice"]; block != nil {
				got = cmp.Or(string(block["csc"]), absent)
			}
			if diags.HasError() {
				got = refused
				fixture.WantTexts(t, diags, "Set `consumer_invoice.csc`, or `secrets.csc_wo`")
			}
			if got != want {
				t.Errorf("%s, series %s: csc is %s, want %s", name, series, got, want)
			}
		}
	}
}

// What a service may show of the codes that it was sent.
func TestSecrets_codes(t *testing.T) {
	t.Parallel()
	const sent = `[{"id": 1, "code": "ABCDEFGH-01"}]`
	for shown, want := range map[string]struct {
		as    sight
		mayBe bool
	}{
		`[{"code":"ABCDEFGH-01","id":1}]`:                                           {inClear, true},
		`[{"code":"ABCDEFGH-01","id":1,"usedBy":{"name":"somebody","since":2026}}]`: {inClear, true},
		`[{"code":"HGFEDCBA-01","id":1}]`:                                           {inClear, false},
		`[{"code":"ABCDEFGH-01","id":1},{"code":"HGFEDCBA-01","id":2}]`:             {inClear, false},
		`{"code":"ABCDEFGH-01","id":1}`:                                             {inClear, false},
		`[{"code":"AB*********","id":1}]`:                                           {hidden, true},
		`"****"`:                                                                    {hidden, true},
		`[{"id":1,"active":true}]`:                                                  {hidden, true},
		`[{"id":1,"code":null}]`:                                                    {hidden, true},
		`[{"id":1,"code":""}]`:                                                      {hidden, true},
		`["ABCD"]`:                                                                  {hidden, true},
		`null`:                                                                      {none, false},
		`""`:                                                                        {none, false},
		`[]`:                                                                        {none, false},
	} {
		held := blocksOf(t, `{"general": {"technicalResponsible": {"csrts": `+shown+`}}}`)
		s := setting{place: csrtsSecret, value: types.StringValue(sent)}
		as := s.sightIn(held, none)
		if may := s.mayHold(held, as); as != want.as || may != want.mayBe {
			t.Errorf("%s is %q, and may be what was sent: %t", shown, as, may)
		}
	}
}

func TestMerge_refusesToWriteUnknownMasksBack(t *testing.T) {
	t.Parallel()
	held := blocksOf(t, `{"general": {"decimalPrecision": 2, "technicalResponsible": {"tokens": [{"id": 1, "code": "ab****"}], "contactName": "Ana"}}}`)
	_, diags := merge(t.Context(), held, []setting{wants(t, "general.decimal_precision", types.Int64Value(3))}, nil)
	if !diags.HasError() || !strings.Contains(diags[0].Detail(), "field `technicalResponsible`") {
		t.Errorf("diagnostics %v do not name the masked field", diags)
	}
	blocks, diags := merge(t.Context(), held, []setting{wants(t, "general.decimal_precision", types.Int64Value(2))}, nil)
	if diags.HasError() || len(blocks) != 0 {
		t.Errorf("a block that is not written failed: %v, %v", diags, blocks)
	}
}

func TestMerge_refusesAFormItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ document, want string }{
		"a list instead of a text":    {`{"productInvoice": {"series": ["1"]}}`, "series is not a text."},
		"a text instead of a flag":    {`{"productInvoice": {"series": "2", "inbound": {"enabled": "on"}}}`, "enabled is not true or false."},
		"a text instead of an object": {`{"productInvoice": {"series": "2", "inbound": "on"}}`, "an object was expected"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := merge(t.Context(), blocksOf(t, test.document), []setting{
				wants(t, "product_invoice.series", types.StringValue("2")), wants(t, "product_invoice.inbound.enabled", types.BoolValue(true)),
			}, nil)
			if !diags.HasError() {
				t.Fatal("it was taken")
			}
			fixture.WantTexts(t, diags, "Nothing was sent", test.want)
			if text := fixture.DiagnosticText(diags); strings.Contains(text, "einvoice.") || strings.Contains(text, "map[") {
				t.Errorf("%q names a type of this program", text)
			}
		})
	}
}
