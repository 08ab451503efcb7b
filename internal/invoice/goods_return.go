package invoice

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// The rules of an NF-e that returns goods (specification: Versioning): each item
// names the document that it comes from, by access key and item number (group
// DFeReferenciado), and the note as a whole no longer does. How the fields of an
// item are called is not shown, so that they are looked for by what they hold, and
// a plan only warns: the service decides.

const purposeReturn = "devolution"

// The rules apply from these days on: first in homologation, which is the
// environment "development", and later in production.
var (
	returnsInHomologation = time.Date(2026, time.July, 1, 0, 0, 0, 0, einvoice.SaoPaulo)
	returnsInProduction   = time.Date(2026, time.September, 1, 0, 0, 0, 0, einvoice.SaoPaulo)
)

// checkReturn judges what is about to be issued. What is not known yet is judged
// when the apply plans again. An NF-e is judged by its date of emission where the
// payload gives one, and else by now. Without a word about the environment the
// later day counts: the company's settings decide, and they are not asked.
func (m *issuanceModel) checkReturn(now time.Time) diag.Diagnostics {
	if attribute.IsUnset(m.PayloadJSON) || m.Model.ValueString() != einvoice.ModelProduct {
		return nil
	}
	value, err := jsontree.Decode([]byte(m.PayloadJSON.ValueString()))
	if err != nil || jsontree.Member(value, "purposeType") != purposeReturn {
		return nil
	}
	environment, since := "production", returnsInProduction
	if jsontree.Member(value, "environmentType") == "development" {
		environment, since = "homologation", returnsInHomologation
	}
	if emissionDate(value, now).Before(since) {
		return nil
	}
	rule := fmt.Sprintf("From %s on (%s) an NF-e with `purposeType` %q", since.Format(time.DateOnly), environment, purposeReturn)
	at := path.Root("payload_json")
	var diags diag.Diagnostics
	given := jsontree.Member(value, "referencedDocuments")
	if list, isList := given.([]any); given != nil && !(isList && len(list) == 0) {
		diags.AddAttributeWarning(at, "References of a return in the wrong place",
			"`payload_json` holds `referencedDocuments`. "+rule+" is no longer accepted with it: "+
				"take it out, and give the access key and the item number of the origin document in each of `items`.")
	}
	var without, unnumbered []string
	items, _ := jsontree.Member(value, "items").([]any)
	for n, item := range items {
		name := fmt.Sprintf("items[%d]", n)
		origin := originOf(item, true)
		switch {
		case origin.key == "":
			without = append(without, name)
			continue
		case !origin.numbered:
			unnumbered = append(unnumbered, name)
		}
		if _, err := fiscal.ParseAccessKey(origin.key); err != nil {
			diags.AddAttributeWarning(at, "Doubtful access key of an origin document",
				fmt.Sprintf("`%s` of `payload_json` holds %q. %s. Compare it with the document that the goods came with.", name, origin.key, message.SentenceCase(err.Error())))
		}
	}
	const fieldNames = "How the two fields are called is not shown by the specification that this provider is built on: take the names from the service's own reference of the issuing body."
	if len(without) > 0 {
		diags.AddAttributeWarning(at, "Return without origin documents", message.Paragraphs(
			fmt.Sprintf("No access key was found in %s of `payload_json`. %s needs, in each item, the access key and the item number of the document that the goods came with "+
				"(group DFeReferenciado): 44 characters, for example \"33150308370779000149550010001100931002410775\", and a number from 1 on.", attribute.WordList(without), rule), fieldNames))
	}
	if len(unnumbered) > 0 {
		diags.AddAttributeWarning(at, "Return without item numbers", message.Paragraphs(
			fmt.Sprintf("%s of `payload_json` has the access key of an origin document, and no item number beside it. %s needs both. Add the number that the item has in that document, for example 1.",
				attribute.WordList(unnumbered), rule), fieldNames))
	}
	return diags
}

// emissionDate is when the authority will date the document: effectiveDate is
// "the date used as emission date", issuedOn what it is called otherwise.
func emissionDate(payload any, now time.Time) time.Time {
	for _, name := range []string{"effectiveDate", "issuedOn"} {
		text, _ := jsontree.Member(payload, name).(string)
		if t, ok := attribute.ParseDateTime(text); ok {
			return t
		}
	}
	return now
}

// origin is what an item says of the document that it comes from.
type origin struct {
	key      string
	numbered bool
}

// originOf looks at every depth for a text that is shaped like an access key, and
// for a number beside it. In an object of its own any number from 1 on may be the
// item's; among the fields of the item, which has many, only one that is called so.
func originOf(v any, isItem bool) origin {
	var found origin
	var parts []any
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			found.key = cmp.Or(found.key, accessKeyIn(value))
			found.numbered = found.numbered || (!isItem || strings.Contains(strings.ToLower(name), "item")) && isItemNumber(value)
			parts = append(parts, value)
		}
	case []any:
		parts = v
	}
	if found.key != "" {
		return found
	}
	found = origin{}
	for _, part := range parts {
		if below := originOf(part, false); below.key != "" && (found.key == "" || below.numbered) {
			found = below
		}
	}
	return found
}

// accessKeyIn finds a text with the length and the characters of an access key.
// Keys are printed in groups of four, and the XML puts "NFe" before them.
func accessKeyIn(value any) string {
	text, _ := value.(string)
	key := strings.TrimPrefix(strings.Join(strings.Fields(text), ""), "NFe")
	if len(key) != fiscal.AccessKeyLength || strings.ContainsFunc(key, isNoKeyCharacter) {
		return ""
	}
	return key
}

func isNoKeyCharacter(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// isItemNumber tells whether a value can be the number of an item: the layout of
// the NF-e allows 1 to 990.
func isItemNumber(v any) bool {
	switch v.(type) {
	case json.Number, string:
		n, err := strconv.Atoi(fmt.Sprint(v))
		return err == nil && n >= 1 && n <= 990
	}
	return false
}
