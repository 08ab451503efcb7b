package attribute

import (
	"strings"

	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// Computed is what a data source reads of an object that a resource manages: its attributes,
// without some. The first sentence of a description says what an attribute is; the others say
// how to set it.
func Computed(attributes map[string]schema.Attribute, without ...string) map[string]dataschema.Attribute {
	read := map[string]dataschema.Attribute{}
	for name, a := range attributes {
		about, _, cut := strings.Cut(a.GetMarkdownDescription(), ". ")
		if cut {
			about += "."
		}
		switch a := a.(type) {
		case schema.StringAttribute:
			read[name] = dataschema.StringAttribute{
				MarkdownDescription: about, CustomType: a.CustomType, Sensitive: a.Sensitive, Computed: true,
			}
		case schema.BoolAttribute:
			read[name] = dataschema.BoolAttribute{MarkdownDescription: about, Computed: true}
		case schema.Int64Attribute:
			read[name] = dataschema.Int64Attribute{MarkdownDescription: about, Computed: true}
		case schema.Float64Attribute:
			read[name] = dataschema.Float64Attribute{MarkdownDescription: about, Computed: true}
		case schema.SingleNestedAttribute:
			read[name] = ComputedObject(about, Computed(a.Attributes))
		case schema.ListNestedAttribute:
			read[name] = dataschema.ListNestedAttribute{
				MarkdownDescription: about, Computed: true,
				NestedObject: dataschema.NestedAttributeObject{Attributes: Computed(a.NestedObject.Attributes)},
			}
		}
	}
	for _, name := range without {
		delete(read, name)
	}
	return read
}
