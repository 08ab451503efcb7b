package settings

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
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
	valueOf := func(at string, value any) attr.Value {
		switch value := value.(type) {
		case float64:
			return types.Int64Value(int64(value))
		case bool:
			return types.BoolValue(value)
		}
		if strings.HasSuffix(at, "_date") {
			return attribute.SpelledOrNull(attribute.DateTimeSpelling, value.(string))
		}
		return types.StringValue(value.(string))
	}
	for _, test := range rows.Read[[]struct {
		Row                string
		Wanted             map[string]any
		Block, Field, Sent string // the one block that is sent, and what is new in it
	}](t, "merge.json") {
		rows.Case(t, test.Row, func(t *testing.T) {
			var wanted []setting
			for _, at := range slices.Sorted(maps.Keys(test.Wanted)) {
				wanted = append(wanted, wants(t, at, valueOf(at, test.Wanted[at])))
			}
			want := map[string]map[string]string{}
			if test.Block != "" {
				want[test.Block] = asText(blocksOf(t, oddDocument))[test.Block]
				want[test.Block][test.Field] = test.Sent
			}
			held := blocksOf(t, oddDocument)
			blocks, diags := merge(t.Context(), held, wanted, nil)
			if diags.HasError() || !reflect.DeepEqual(held, blocksOf(t, oddDocument)) {
				t.Fatalf("what was read has changed, or %v", diags)
			}
			expect.Same(t, want, asText(blocks), "what is sent")
		})
	}
}

// A block takes its secret along as the service shows it in clear or as it is configured, and else is refused.
func TestMerge_secrets(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Row     string
		Held    string // of consumerInvoice, besides its series
		Last    sight
		Secret  string // that is configured, and whether it is write-only and anew
		Alone   string // what is sent as csc where nothing else changes: JSON, or "refused", "not sent" or "absent"
		Another string // and where the series changes
	}](t, "merge_secrets.json") {
		secret := setting{place: cscSecret, value: types.StringNull()}
		if words := strings.Fields(test.Secret); len(words) > 0 {
			secret.value = types.StringValue(words[0])
			secret.isWriteOnly, secret.isChanged = slices.Contains(words, "write-only"), slices.Contains(words, "anew")
		}
		for series, want := range map[string]string{"1": test.Alone, "2": test.Another} {
			held := blocksOf(t, `{"consumerInvoice": {"series": "1", `+test.Held+`}}`)
			wanted := []setting{wants(t, "consumer_invoice.series", types.StringValue(series)), secret}
			blocks, diags := merge(t.Context(), held, wanted, sights{"csc": test.Last})
			got := "not sent"
			if block := blocks["consumerInvoice"]; block != nil {
				got = cmp.Or(string(block["csc"]), "absent")
			}
			if diags.HasError() {
				got = "refused"
				fixture.WantTexts(t, diags, "Set `consumer_invoice.csc`, or `secrets.csc_wo`")
			}
			expect.Is(t, got, want, "%s, series %s: csc", test.Row, series)
		}
	}
}

// What a service may show of the codes that it was sent.
func TestSecrets_codes(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Shown json.RawMessage
		As    sight
		MayBe bool // what was sent
	}](t, "shown_codes.json") {
		held := blocksOf(t, `{"general": {"technicalResponsible": {"csrts": `+string(test.Shown)+`}}}`)
		s := setting{place: csrtsSecret, value: types.StringValue(`[{"id": 1, "code": "ABCDEFGH-01"}]`)}
		as := s.sightIn(held, none)
		expect.Is(t, as, test.As, "%s is shown", test.Shown)
		expect.Is(t, s.mayHold(held, as), test.MayBe, "%s may be what was sent", test.Shown)
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
