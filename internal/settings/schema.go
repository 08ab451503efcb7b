package settings

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

func resourceAttributes(fields []field) map[string]schema.Attribute {
	attributes := make(map[string]schema.Attribute, len(fields))
	for _, f := range fields {
		attributes[f.name] = f.resourceAttribute()
	}
	return attributes
}

// resourceAttribute has no plan modifier: planned decides for all of them.
func (f field) resourceAttribute() schema.Attribute {
	description := f.about
	switch f.kind {
	case object:
		return schema.SingleNestedAttribute{
			MarkdownDescription: description, Optional: true, Computed: true, Attributes: resourceAttributes(f.fields),
		}
	case flag:
		return schema.BoolAttribute{MarkdownDescription: description, Optional: true, Computed: true}
	case number, nextNumber:
		least := int64(0)
		if f.kind == nextNumber {
			least, description = 1, description+" The service raises it with each one, so a configured value is a "+
				"minimum: the provider raises a lower number at the service, and leaves a higher one as it is. Right "+
				"after a creation, the state shows the configured number. The next refresh shows the service's."
		}
		return schema.Int64Attribute{
			MarkdownDescription: description, Optional: true, Computed: true,
			Validators: []validator.Int64{int64validator.AtLeast(least)},
		}
	case secret:
		a := attribute.TextWith(description+" It is kept in state; `secrets."+f.writeOnly+"` is not. If you remove the "+
			"argument, it leaves the state, and the service keeps it. Null unless configured.", attribute.TextValidator{})
		a.Sensitive = true
		return a
	case spelled:
		a := attribute.SpelledText(description, f.spelling, f.limit, f.example, f.checks...)
		a.Computed = true
		return attribute.WithAssumedLength(a)
	default:
		a := attribute.TextWith(description, append(checks{attribute.TextValidator{}}, f.checks...)...)
		a.Computed = true
		return a
	}
}

// writeOnlyAttributes are those of `secrets`. The framework allows no write-only attribute inside
// a computed object, such as a block.
func writeOnlyAttributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, s := range secrets {
		version := path.MatchRoot("secrets").AtName(s.version())
		checks := []validator.String{attribute.TextValidator{}, stringvalidator.AlsoRequires(version), jsonList}
		if s.kind == secret {
			checks[2] = stringvalidator.ConflictsWith(path.MatchRoot(s.parent()).AtName(s.name))
		}
		a := attribute.TextWith(s.about+" It is sent when `"+s.version()+"` changes, and whenever another change writes "+
			"its block.", checks...)
		a.Sensitive, a.WriteOnly = true, true
		attributes[s.writeOnly] = a
		attributes[s.version()] = attribute.TextWith(
			"Any text. A change sends `"+s.writeOnly+"`.", attribute.TextValidator{})
	}
	return attributes
}

const extraObject = "a JSON object of blocks, for example `jsonencode({ general = { roundingTolerance = 1.5 } })`"

func extraJSON() schema.StringAttribute {
	a := attribute.ExtraJSON("settings")
	a.MarkdownDescription = "Settings that have no attribute here, as " + extraObject + ". " +
		"The provider merges them into the blocks that it sends, and compares only these keys for drift. " +
		"The service keeps the value of a key that you remove: set it to `null` to clear it. " +
		"If the service does not take a setting, the apply fails. A setting that has an attribute is an error. " +
		"The state keeps these settings: do not put secrets here."
	return a
}

var atExtra = path.Root("extra_json")

// jsonList refuses security codes (CSRT) that are not a list, without showing them.
var jsonList = attribute.TextCheck{Rule: text.Of("rule.json_list", nil), Check: func(c attribute.Checked) {
	value, err := jsontree.Decode([]byte(c.Text))
	if _, ok := value.([]any); !ok || err != nil {
		c.Error("settings.codes_no_list", nil)
	}
}}

// refuseOwned refuses what has an attribute, in an object at a place.
func refuseOwned(ctx context.Context, p place, in map[string]any) (diags diag.Diagnostics) {
	for _, key := range slices.Sorted(maps.Keys(in)) {
		owned := p.member(key)
		if object, isObject := in[key].(map[string]any); isObject && len(owned.fields) > 0 {
			diags.Append(refuseOwned(ctx, owned, object)...)
		} else if owned.name != "" && owned.kind != secretJSON {
			diags.Append(say.ErrorAt(ctx, atExtra, "settings.extra_owned", text.With{
				"field": owned.key(), "attribute": owned.at.String(),
			})...)
		}
	}
	return diags
}
