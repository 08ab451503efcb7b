package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// settingsFields are those that integrations report, by block.
var settingsFields = map[string][]string{
	"general": {
		"allowDuplicateFederalTaxNumbers", "allowNaturalPersonCompany", "allowMultipleInvoiceModelsPerOrder",
		"decimalPrecision", "taxReformFieldsEnabled", "technicalResponsible",
	},
	"productInvoice":  {"series", "nextNumber", "environmentType", "danfePrintLayout", "inbound"},
	"consumerInvoice": {"series", "nextNumber", "environmentType", "tokenId", "csc", "allowOfflineContingency"},
	"serviceInvoice": {
		"series", "nextNumber", "nextBatchNumber", "environmentType", "issueType", "userName", "password", "authNumber",
		"sendCityTaxNumber",
	},
}

var settingsBlocks = slices.Sorted(maps.Keys(settingsFields))

// companions of secrets, which a service may mask or hide: a secret is set with them.
var companions = map[string]string{"csc": "tokenId", "password": "userName"}

func fieldsOf(block json.RawMessage) object {
	of, _ := decoded(block).(map[string]any)
	return of
}

// seeSettings looks at the settings as they are, and notes each model's environment.
func (c *check) seeSettings(blocks map[string]json.RawMessage) {
	all, known := object{}, []string(nil)
	for _, name := range settingsBlocks {
		fields := fieldsOf(blocks[name])
		for _, field := range settingsFields[name] {
			if companion := companions[field]; companion != "" {
				c.seeSecret(fields, field, companion)
				continue
			}
			known = append(known, name+"."+field)
			if value, has := fields[field]; has {
				all[name+"."+field] = value
			}
		}
	}
	c.seeResponsible(fieldsOf(blocks["general"]).part("technicalResponsible"))
	c.seeFields("settings_fields", all, known...)
	for _, model := range issuedModels {
		environment := c.word(fieldsOf(blocks[model+"Invoice"]), "environmentType")
		if c.environments[model] = environment; environment == "production" && !c.readOnly {
			c.production = append(c.production, model)
		}
	}
}

func (c *check) seeSecret(fields object, name, companion string) {
	value, shown := fields[name]
	switch secret := text(value); {
	case !shown && !isEmpty(fields[companion]):
		c.holds("settings_hide_secrets", name+" is left out")
	case !shown:
		c.seeUnset(name + " is left out")
	case secret == "":
		c.seeUnset(name + " is null")
	case strings.Trim(secret, "*•●…") == "":
		c.holds("settings_hide_secrets", name+" is asterisks")
		c.holds("masks_have_a_mask_character", name)
	case einvoice.IsMasked(secret):
		c.holds("settings_hide_secrets", name+" is masked")
		c.holds("masks_have_a_mask_character", name)
	case c.assumption("masks_have_a_mask_character").Verdict == differs:
		c.differs("settings_hide_secrets", false, name+" has no mask character, and neither has the key: it may be cut")
	default:
		c.differs("settings_hide_secrets", true, name+" is in clear, or cut without a mask character")
	}
}

// seeUnset notes a secret that is not shown: it may be unset, or hidden.
func (c *check) seeUnset(how string) {
	held := c.assumption("settings_hide_secrets")
	if held.Verdict == notSeen {
		held.add(how + ", which may be unset")
	}
}

// seeResponsible looks at the codes of the technical responsible.
func (c *check) seeResponsible(responsible object) {
	codes, _ := responsible["csrts"].([]any)
	for _, code := range objects(codes) {
		texts := 0
		for _, value := range code {
			if _, isText := value.(string); isText {
				texts++
			}
		}
		if texts == 0 {
			c.holds("settings_hide_secrets", "the texts of csrts are left out")
		}
	}
}

// writtenBlock is the one that the program writes: no number in it changes by itself.
const writtenBlock = "general"

// settings puts one block back as it was read, and looks at what that does to the rest. It writes nothing if a model
// issues in production.
func (c *check) settings(ctx context.Context) {
	id := []string{c.companyID}
	a := c.look(ctx, question{operation: "get_settings", ids: id})
	before := blocksIn(a.Body)
	if c.companyID == "" || !a.ok() || len(c.production) > 0 || before[writtenBlock] == nil {
		return
	}
	if secret := secretAtRisk(before); secret != "" {
		c.assumption("settings_put_keeps_other_blocks").add(
			"no block is written: " + secret + " may be set, and the program could not put it back")
		return
	}
	ctx = context.WithoutCancel(ctx) // An interruption must not keep the settings from being put back.
	body := map[string]any{writtenBlock: before[writtenBlock]}
	put := c.ask(ctx, question{operation: "update_settings", ids: id, body: body})
	if !put.ok() && !put.isAmbiguous() {
		return
	}
	c.noteAnswer("update_settings", put)
	after := blocksIn(c.look(ctx, question{operation: "get_settings", ids: id}).Body)
	if after == nil {
		c.changed = append(c.changed, "settings: they could not be read after "+writtenBlock+" was put back")
		return
	}
	touched, kept := map[string]any{}, []string(nil)
	for _, name := range settingsBlocks {
		lost := changedFields(before[name], after[name])
		switch {
		case len(lost) == 0 && name != writtenBlock && tellsReset(name, fieldsOf(before[name])):
			kept = append(kept, name)
		case len(lost) == 0:
		case name == writtenBlock:
			touched[name] = before[name]
			c.differs("update_keeps_unknown_fields", false,
				"the settings changed "+strings.Join(lost, ", ")+" in a block that was sent as read")
		default:
			touched[name] = before[name]
			c.differs("settings_put_keeps_other_blocks", false, name+" changed: "+strings.Join(lost, ", "))
		}
	}
	switch {
	case !put.ok():
	case len(kept) > 0:
		c.holds("settings_put_keeps_other_blocks", "as before: "+strings.Join(kept, ", "))
	default:
		c.assumption("settings_put_keeps_other_blocks").add(
			"the other blocks hold nothing but defaults, so that a reset would not show")
	}
	if len(touched) > 0 {
		touched[writtenBlock] = before[writtenBlock]
		c.restore(ctx, id, before, touched)
	}
}

// isUnset reports whether a value is that of a setting without one: an enumeration is 0 then.
func isUnset(v any) bool { return isEmpty(v) || v == json.Number("0") }

// tellsReset reports whether a block holds a value that is no default, so that a reset would show.
func tellsReset(name string, block object) bool {
	return slices.ContainsFunc(settingsFields[name], func(field string) bool {
		value := block[field]
		return !isUnset(value) && value != false && value != "default" && value != "normal"
	})
}

// restore puts back what a write has touched, and names what it could not.
func (c *check) restore(ctx context.Context, id []string, before map[string]json.RawMessage, touched map[string]any) {
	c.look(ctx, question{operation: "update_settings", ids: id, body: touched})
	after := blocksIn(c.look(ctx, question{operation: "get_settings", ids: id}).Body)
	for name := range touched {
		if lost := changedFields(before[name], after[name]); len(lost) > 0 {
			left := fmt.Sprintf("settings %s: %s could not be put back", name, strings.Join(lost, ", "))
			c.changed = append(c.changed, left)
		}
	}
}

// secretAtRisk is a secret that may be set, "" for none. A write that resets its block would lose it: a service may
// show it masked, cut or as null. A null one is unset if the field beside it is empty too.
func secretAtRisk(blocks map[string]json.RawMessage) string {
	general := fieldsOf(blocks[writtenBlock])
	codes, shown := general.part("technicalResponsible")["csrts"].([]any)
	if !isEmpty(general["technicalResponsible"]) && (!shown || len(codes) > 0) {
		return "csrts"
	}
	if consumer := fieldsOf(blocks["consumerInvoice"]); !isEmpty(consumer["csc"]) || !isEmpty(consumer["tokenId"]) {
		return "csc"
	}
	if service := fieldsOf(blocks["serviceInvoice"]); !isEmpty(service["password"]) || !isEmpty(service["userName"]) {
		return "password"
	}
	return ""
}

// changedFields are the fields that a block shows otherwise than before. The numbers of the next invoices change by
// themselves.
func changedFields(before, after json.RawMessage) []string {
	was, is := fieldsOf(before), fieldsOf(after)
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(was)) {
		moves := name == "nextNumber" || name == "nextBatchNumber"
		if !reflect.DeepEqual(was[name], is[name]) && (!moves || is.text(name) == "") {
			changed = append(changed, name)
		}
	}
	return changed
}

// noteAnswer notes how a change or a deletion is answered.
func (c *check) noteAnswer(operation string, a answer) {
	of, _ := objectIn(a.Body)
	form := "the object"
	switch {
	case len(bytes.TrimSpace(a.Body)) == 0:
		form = "nothing"
	case of["success"] != nil:
		form = "success"
	case of["id"] == nil && of["companyId"] == nil && of["general"] == nil:
		form = "something else"
	}
	if held := c.operations[operation]; held != nil && held.Note == "" {
		held.Note = "it answers with " + form
	}
}
