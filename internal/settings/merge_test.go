package settings

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// wants is a managed field by its attribute path, such as
// "product_invoice.inbound.enabled".
func wants(t *testing.T, at string, value attr.Value) setting {
	t.Helper()
	p := place{field: field{fields: blocks}}
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

func TestOverlay(t *testing.T) {
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
			blocks, diags := overlay(blocksOf(t, oddDocument), test.wanted)
			if diags.HasError() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(test.want, asText(blocks)); diff != "" {
				t.Errorf("what is sent (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOverlay_doesNotChangeWhatWasRead(t *testing.T) {
	t.Parallel()
	held := blocksOf(t, oddDocument)
	_, diags := overlay(held, []setting{
		wants(t, "product_invoice.series", types.StringValue("2")), wants(t, "product_invoice.inbound.enabled", types.BoolValue(true)),
		{place: cscSecret, value: types.StringValue("NEW"), intent: restated},
	})
	if diags.HasError() {
		t.Fatal(diags)
	}
	if diff := cmp.Diff(asText(blocksOf(t, oddDocument)), asText(held)); diff != "" {
		t.Errorf("the document that was read has changed (-want +got):\n%s", diff)
	}
}

func TestOverlay_secrets(t *testing.T) {
	t.Parallel()
	other := []setting{wants(t, "consumer_invoice.series", types.StringValue("2"))}
	as := func(intent intent, value string) setting {
		return setting{place: cscSecret, value: types.StringValue(value), intent: intent}
	}
	none := setting{place: cscSecret}
	for name, test := range map[string]struct {
		held   string // of consumerInvoice, besides its series
		wanted []setting
		secret setting
		want   string // what is sent as csc; "" when the block is not sent, "absent" when the field is not
		fails  bool
	}{
		"one in clear goes back as it was read":                           {`"csc": "ABCDEFG\u0048"`, other, none, `"ABCDEFG\u0048"`, false},
		"one that may be cut is never written back":                       {`"csc": "UNKN"`, other, none, "", true},
		"a mask of one letter is never written back":                      {`"csc": "XXXXXXXXXXXX"`, other, none, "", true},
		"a word in brackets is never written back":                        {`"csc": "<hidden>"`, other, none, "", true},
		"one that may be cut is replaced by the write-only one":           {`"csc": "UNKN"`, other, as(written, "ABCD"), `"ABCD"`, false},
		"a null goes back as null":                                        {`"csc": null`, other, none, `null`, false},
		"a masked one is never written back":                              {`"csc": "AB****"`, other, none, "", true},
		"a masked one does not matter while its block is not written":     {`"csc": "AB****"`, nil, none, "", false},
		"a masked one is replaced by the configured one":                  {`"csc": "AB****"`, other, as(stated, "ABCD"), `"ABCD"`, false},
		"a masked one is replaced by the write-only one, changed or not":  {`"csc": "AB****"`, other, as(written, "ABCD"), `"ABCD"`, false},
		"a configured one that the mask may show is not sent by itself":   {`"csc": "AB****"`, nil, as(stated, "ABCD"), "", false},
		"a mask of another form is taken for the configured one":          {`"csc": "ab***"`, nil, as(stated, "ABCD"), "", false},
		"a mask without a mask character is taken for the configured one": {`"csc": "AB"`, nil, as(stated, "ABCD"), "", false},
		"a mask without a mask character is never written back":           {`"csc": "AB"`, other, as(written, "ABCD"), `"ABCD"`, false},
		"a longer one is sent over its own beginning":                     {`"csc": "AB"`, nil, as(restated, "ABCD"), `"ABCD"`, false},
		"a mask that shows nothing proves nothing":                        {`"csc": "******"`, nil, as(stated, "ABCD"), "", false},
		"a changed one is sent behind the same mask":                      {`"csc": "AB****"`, nil, as(restated, "ABXX"), `"ABXX"`, false},
		"a changed one that is held in clear already is not sent":         {`"csc": "ABCD"`, nil, as(restated, "ABCD"), "", false},
		"one that is missing at the service is sent":                      {`"csc": ""`, nil, as(stated, "ABCD"), `"ABCD"`, false},
		"a new version sends the write-only one":                          {`"csc": "AB****"`, nil, as(rewritten, "NEW"), `"NEW"`, false},
		"the same version does not send it":                               {`"csc": "ABCDEFGH"`, nil, as(written, "NEW"), "", false},
		"the same version leaves one in clear, when the block is written": {`"csc": "ABCDEFGH"`, other, as(written, "NEW"), `"ABCDEFGH"`, false},
		"one that is not shown at all is not lost when its token is set":  {`"tokenId": "1"`, other, none, "", true},
		"one that is not shown at all and has no token was never set":     {`"tokenId": null`, other, none, "absent", false},
		"one that was sent before is not lost though it is not shown": {
			`"tokenId": null`, other, setting{place: cscSecret, sentBefore: true}, "", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := blocksOf(t, `{"consumerInvoice": {"series": "1", `+test.held+`}}`)
			blocks, diags := overlay(held, slices.Concat(test.wanted, []setting{test.secret}))
			if diags.HasError() != test.fails {
				t.Fatalf("diagnostics %v, want failure %v", diags, test.fails)
			}
			if test.fails {
				if text := diags[0].Detail(); !strings.Contains(text, "Set `consumer_invoice.csc`, or `secrets.csc_wo`") {
					t.Errorf("%q does not say what to set", text)
				}
				return
			}
			block, sent := blocks["consumerInvoice"]
			got := ""
			if raw, ok := block["csc"]; ok {
				got = string(raw)
			} else if sent {
				got = "absent"
			}
			if got != test.want {
				t.Errorf("csc is sent as %q, want %q", got, test.want)
			}
		})
	}
}

func TestOverlay_refusesToWriteUnknownMasksBack(t *testing.T) {
	t.Parallel()
	held := blocksOf(t, `{"general": {"decimalPrecision": 2, "technicalResponsible": {"csrts": [{"id": 1, "code": "ab****"}], "contactName": "Ana"}}}`)
	_, diags := overlay(held, []setting{wants(t, "general.decimal_precision", types.Int64Value(3))})
	if !diags.HasError() || !strings.Contains(diags[0].Detail(), "technicalResponsible.csrts[0].code") {
		t.Errorf("diagnostics %v do not name the masked field", diags)
	}
	blocks, diags := overlay(held, []setting{wants(t, "general.decimal_precision", types.Int64Value(2))})
	if diags.HasError() || len(blocks) != 0 {
		t.Errorf("a block that is not written failed: %v, %v", diags, blocks)
	}
}

func TestOverlay_refusesAFormItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ document, want string }{
		"a list instead of a text":    {`{"productInvoice": {"series": ["1"]}}`, "series is not a text."},
		"a text instead of a flag":    {`{"productInvoice": {"series": "2", "inbound": {"enabled": "on"}}}`, "enabled is not true or false."},
		"a text instead of an object": {`{"productInvoice": {"series": "2", "inbound": "on"}}`, "an object was expected"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := overlay(blocksOf(t, test.document), []setting{
				wants(t, "product_invoice.series", types.StringValue("2")), wants(t, "product_invoice.inbound.enabled", types.BoolValue(true)),
			})
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

func TestIgnoredSettings(t *testing.T) {
	t.Parallel()
	held := blocksOf(t, `{"productInvoice": {"series": "1", "nextNumber": 12, "environmentType": 0}, "consumerInvoice": {"csc": "AB***"}, "serviceInvoice": {"password": null}}`)
	ignored := ignoredSettings(held, []setting{
		wants(t, "product_invoice.series", types.StringValue("2")), wants(t, "product_invoice.next_number", types.Int64Value(10)),
		wants(t, "product_invoice.environment_type", types.StringValue("development")), wants(t, "product_invoice.inbound.enabled", types.BoolValue(true)),
		{place: cscSecret, value: types.StringValue("ABCD"), intent: stated},
		{place: passwordSecret, value: types.StringValue("hidden"), intent: written},
	})
	var got []string
	for _, u := range ignored {
		at, _ := u.argument()
		got = append(got, at.String()+": "+string(u.wire())+" "+u.held)
		if text := settingIgnored(u, "C").Detail(); strings.Contains(text, "hidden") {
			t.Errorf("%q shows a secret", text)
		}
	}
	want := []string{
		`product_invoice.series: "2" "1"`, `product_invoice.environment_type: "development" 0`,
		`product_invoice.inbound.enabled: true nothing`, `secrets.service_password_wo: "hidden" nothing`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("not taken (-want +got):\n%s", diff)
	}
}

func TestSecretNotes_observeHidden(t *testing.T) {
	t.Parallel()
	series := wants(t, "consumer_invoice.series", types.StringValue("2"))
	for name, test := range map[string]struct {
		before, after string
		hidden        bool
	}{
		"the block was taken, the secret is not shown": {`{"series": "1", "csc": null}`, `{"series": "2", "csc": null}`, true},
		"the block was not taken":                      {`{"series": "1", "csc": null}`, `{"series": "1", "csc": null}`, false},
		"nothing else was to change":                   {`{"series": "2", "csc": null}`, `{"series": "2", "csc": null}`, false},
		"the secret is shown":                          {`{"series": "1", "csc": null}`, `{"series": "2", "csc": "AB**"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			notes := secretNotes{"csc": {Written: true}}
			after := blocksOf(t, `{"consumerInvoice": `+test.after+`}`)
			diags := notes.observeHidden(blocksOf(t, `{"consumerInvoice": `+test.before+`}`), after, []setting{series, {place: cscSecret, value: types.StringValue("ABCD"), intent: stated}})
			notes.observe(after)
			if hidden := notes.of(cscSecret).Hidden; hidden != test.hidden {
				t.Errorf("hidden: %t", hidden)
			}
			if _, shown := after["consumerInvoice"]["csc"]; shown == test.hidden {
				t.Errorf("the field is still read: %t", shown)
			}
			if test.hidden && (len(diags) != 1 || !strings.Contains(diags[0].Detail(), "`consumer_invoice.csc` was sent")) || !test.hidden && len(diags) != 0 {
				t.Errorf("diagnostics %v", diags)
			}
		})
	}
}

func TestOverlay_warnsWhereASecretMayBeHidden(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		held   string
		secret setting
		want   string
	}{
		"the login without a password":           {held: `{"userName":"city","password":null}`, want: "Secret that may be gone"},
		"neither of the two":                     {held: `{"userName":null,"password":null}`},
		"a password in clear":                    {held: `{"userName":"city","password":"s3cret-of-it"}`},
		"one that is configured":                 {held: `{"userName":"city","password":null}`, secret: setting{value: types.StringValue("s3cret"), intent: stated}},
		"one that was sent before and is hidden": {held: `{"userName":"city","password":null}`, secret: setting{sentBefore: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.secret.place = passwordSecret
			held := blocksOf(t, `{"serviceInvoice":`+test.held+`}`)
			_, diags := overlay(held, []setting{wants(t, "service_invoice.series", types.StringValue("2")), test.secret})
			if diags.HasError() || (test.want == "") != (len(diags) == 0) {
				t.Fatalf("got %s, want %q", fixture.DiagnosticText(diags), test.want)
			}
			if test.want != "" {
				fixture.WantTexts(t, diags, test.want, "`service_invoice`", "`userName` is set", "`secrets.service_password_wo`")
			}
		})
	}
}
