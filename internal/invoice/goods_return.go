package invoice

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// In an NF-e that returns goods each item names its origin document, by access key and item
// number, and the note does not (specification: Versioning). Nobody specifies the names of
// these fields. So they are looked for by what they hold, and a plan only warns.

// The rules apply from these days on: first in homologation, which is the environment
// "development", and later in production.
var (
	returnsInHomologation = time.Date(2026, time.July, 1, 0, 0, 0, 0, einvoice.SaoPaulo)
	returnsInProduction   = time.Date(2026, time.September, 1, 0, 0, 0, 0, einvoice.SaoPaulo)
)

// checkReturn judges what is about to be issued by its issue date, or else by now.
// Without an environment in the payload the later day counts: nobody reads the settings.
func (m *issuanceModel) checkReturn(ctx context.Context, now time.Time) diag.Diagnostics {
	if attribute.IsUnset(m.PayloadJSON) || m.Model.ValueString() != einvoice.ModelProduct {
		return nil
	}
	payload, err := jsontree.Decode([]byte(m.PayloadJSON.ValueString()))
	if err != nil || jsontree.Member(payload, "purposeType") != "devolution" {
		return nil
	}
	since := returnsInProduction
	if jsontree.Member(payload, "environmentType") == "development" {
		since = returnsInHomologation
	}
	if emissionDate(payload, now).Before(since) {
		return nil
	}
	given := jsontree.Member(payload, "referencedDocuments")
	list, isList := given.([]any)
	misplaced := given != nil && !(isList && len(list) == 0)
	var unkeyed, unnumbered, doubtful []string
	items, _ := jsontree.Member(payload, "items").([]any)
	for n, item := range items {
		name := fmt.Sprintf("`items[%d]`", n)
		key, numbered := originOf(item, true)
		if _, err := fiscal.ParseAccessKey(key); key == "" {
			unkeyed = append(unkeyed, name)
		} else if err != nil {
			doubtful = append(doubtful, name)
		}
		if key != "" && !numbered {
			unnumbered = append(unnumbered, name)
		}
	}
	if !misplaced && len(unkeyed)+len(unnumbered)+len(doubtful) == 0 {
		return nil
	}
	return say.WarningAt(ctx, path.Root("payload_json"), "invoice.return", text.With{
		"label": m.label(), "since": since, "misplaced": misplaced, "unkeyed": unkeyed, "unnumbered": unnumbered,
		"doubtful": doubtful,
	})
}

// emissionDate is when the authority will date the document: effectiveDate is "the date
// used as emission date", and issuedOn its other name.
func emissionDate(payload any, now time.Time) time.Time {
	for _, name := range []string{"effectiveDate", "issuedOn"} {
		date, _ := jsontree.Member(payload, name).(string)
		if t, ok := einvoice.ParseTime(date); ok {
			return t
		}
	}
	return now
}

// originOf looks at every depth of an item for an access key, and for a number beside it.
// In an object of its own any number from 1 on may be the item's; among the many fields of
// the item itself, only one whose name says so.
func originOf(v any, isItem bool) (key string, numbered bool) {
	parts, _ := v.([]any)
	members, _ := v.(map[string]any)
	for name, value := range members {
		key = cmp.Or(key, accessKeyIn(value))
		mayBeNumber := !isItem || strings.Contains(strings.ToLower(name), "item")
		numbered = numbered || mayBeNumber && isItemNumber(value)
		parts = append(parts, value)
	}
	if key != "" {
		return key, numbered
	}
	numbered = false
	for _, part := range parts {
		if below, isNumbered := originOf(part, false); below != "" && (key == "" || isNumbered) {
			key, numbered = below, isNumbered
		}
	}
	return key, numbered
}

// accessKey is the form of an access key. Keys are printed in groups of four, and the XML
// puts "NFe" before them.
var accessKey = regexp.MustCompile(`^(?:NFe)?([0-9A-Za-z]{44})$`)

func accessKeyIn(value any) string {
	written, _ := value.(string)
	if found := accessKey.FindStringSubmatch(strings.Join(strings.Fields(written), "")); found != nil {
		return found[1]
	}
	return ""
}

// isItemNumber reports whether a value can be the number of an item: the layout of the
// NF-e allows 1 to 990.
func isItemNumber(v any) bool {
	switch v.(type) {
	case json.Number, string:
		n, err := strconv.Atoi(fmt.Sprint(v))
		return err == nil && n >= 1 && n <= 990
	}
	return false
}
