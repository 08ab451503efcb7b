package fiscal

import (
	"regexp"
	"strconv"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// RuleReturnOrigin is the rule about the original documents of a return, which the service refuses itself.
const RuleReturnOrigin = "return_origin"

// accessKeyForm is TChNFe of the layout.
var accessKeyForm = regexp.MustCompile(`^[0-9]{6}[0-9A-Z]{12}[0-9]{26}$`)

// checkAccessKeys looks at the keys of the documents that an NF-e or its items refer to.
func (b *body) checkAccessKeys() {
	check := func(at string, reference map[string]any) {
		key := textAt(reference, "accessKey")
		switch _, err := ParseAccessKey(key); {
		case key == "":
		case err == nil && !accessKeyForm.MatchString(key):
			b.breaks("225", at+".accessKey", "finding.access_key.spelling", nil)
		case err != nil && !accessKeyForm.MatchString(key):
			b.breaks("225", at+".accessKey", "finding.access_key", text.With{"problem": err})
		case err != nil:
			b.breaks("547", at+".accessKey", "finding.access_key", text.With{"problem": err})
		}
	}
	b.each("referencedDocuments", check)
	b.each("items", func(at string, item map[string]any) {
		check(at+".sourceDocument", objectAt(item, "sourceDocument"))
	})
}

// maximumItems is how many items a document has.
const maximumItems = 990

// checkReturn looks for the document that the goods of each item came with. The note as a whole refers to none.
func (b *body) checkReturn() {
	law, _ := LawOf("1010")
	if !b.hasPurpose("devolution") || !law.HoldsOn(b.day()) {
		return
	}
	given := b.value["referencedDocuments"]
	if list, isList := given.([]any); given != nil && !(isList && len(list) == 0) {
		b.breaks("1010", "referencedDocuments", "finding.return_origin.note", nil)
	}
	items, _ := b.value["items"].([]any)
	for i, item := range items {
		source, _ := jsontree.Member(item, "sourceDocument").(map[string]any)
		number, err := strconv.Atoi(codeText(source["itemNumber"]))
		if len(missing(source, "accessKey")) > 0 || err != nil || number < 1 || number > maximumItems {
			b.breaks("321", indexed("items", i)+".sourceDocument", "finding.return_origin.item", text.With{"most": maximumItems})
		}
	}
}
