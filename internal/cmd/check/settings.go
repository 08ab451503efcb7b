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

// secretFields are those that a service may mask or hide.
var secretFields = []string{"csc", "password"}

func fieldsOf(block json.RawMessage) object {
	of, _ := decoded(block).(map[string]any)
	return of
}

// seeSettings looks at the settings as they are, and notes each model's environment.
func (c *check) seeSettings(blocks map[string]json.RawMessage) {
	var lacks []string
	for _, name := range settingsBlocks {
		fields := fieldsOf(blocks[name])
		for _, field := range settingsFields[name] {
			if _, has := fields[field]; !has && !slices.Contains(secretFields, field) {
				lacks = append(lacks, name+"."+field)
			}
		}
		for _, field := range secretFields {
			if slices.Contains(settingsFields[name], field) {
				c.seeSecret(fields, field)
			}
		}
	}
	c.seeResponsible(fieldsOf(blocks["general"]).part("technicalResponsible"))
	if len(lacks) > 0 {
		c.differs("settings_fields", true, "they lack "+strings.Join(lacks, ", "))
	} else {
		c.holds("settings_fields", "they show all of them")
	}
	for _, model := range issuedModels {
		environment := fieldsOf(blocks[model+"Invoice"]).text("environmentType")
		if c.environments[model] = environment; environment == "production" && !c.readOnly {
			c.production = append(c.production, model)
		}
	}
}

func (c *check) seeSecret(fields object, name string) {
	value, shown := fields[name]
	switch secret := text(value); {
	case !shown:
		c.holds("settings_hide_secrets", name+" is left out")
	case secret == "":
		c.seeUnset(name)
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

// seeUnset notes a null secret: it may be unset, or hidden.
func (c *check) seeUnset(name string) {
	held := c.assumption("settings_hide_secrets")
	if held.Verdict == notSeen {
		held.add(name + " is null, which may be unset")
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

// settings puts one block back as it was read, and looks at what that does to the rest.
func (c *check) settings(ctx context.Context) {
	id := []string{c.companyID}
	a := c.look(ctx, question{operation: "get_settings", ids: id})
	before := blocksIn(a.Body)
	block := c.safeBlock(before)
	if c.companyID == "" || !a.ok() || block == "" {
		return
	}
	ctx = context.WithoutCancel(ctx) // An interruption must not keep the settings from being put back.
	put := c.ask(ctx, question{operation: "update_settings", ids: id, body: map[string]any{block: before[block]}})
	if !put.ok() {
		return
	}
	c.noteAnswer("update_settings", put)
	after := blocksIn(c.look(ctx, question{operation: "get_settings", ids: id}).Body)
	if after == nil {
		c.left = append(c.left, "settings: they could not be read after "+block+" was put back")
		return
	}
	touched := map[string]any{}
	for _, name := range settingsBlocks {
		lost := changedFields(before[name], after[name])
		switch {
		case len(lost) == 0:
		case name == block:
			c.differs("update_keeps_unknown_fields", false,
				"the settings changed "+strings.Join(lost, ", ")+" in a block that was sent as read")
		default:
			touched[name] = withoutMasks(before[name])
			c.differs("settings_put_keeps_other_blocks", false, name+" changed: "+strings.Join(lost, ", "))
		}
	}
	if len(touched) == 0 {
		c.holds("settings_put_keeps_other_blocks", "the others are as they were")
		return
	}
	touched[block] = before[block]
	c.restore(ctx, id, before, touched)
}

// restore puts back what a write has touched, and names what it could not.
func (c *check) restore(ctx context.Context, id []string, before map[string]json.RawMessage, touched map[string]any) {
	c.look(ctx, question{operation: "update_settings", ids: id, body: touched})
	after := blocksIn(c.look(ctx, question{operation: "get_settings", ids: id}).Body)
	for name := range touched {
		if lost := changedFields(before[name], after[name]); len(lost) > 0 {
			left := fmt.Sprintf("settings %s: %s could not be put back", name, strings.Join(lost, ", "))
			c.left = append(c.left, left)
		}
	}
}

// safeBlock is a block without a secret and without a number that changes by itself, "" for none. Nothing is written
// if a model issues in production.
func (c *check) safeBlock(blocks map[string]json.RawMessage) string {
	if len(c.production) > 0 || blocks["general"] == nil {
		return ""
	}
	if codes := fieldsOf(blocks["general"]).part("technicalResponsible")["csrts"]; isEmpty(codes) {
		return "general"
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

// withoutMasks is a block without the secrets that it shows masked.
func withoutMasks(block json.RawMessage) any {
	fields := fieldsOf(block)
	for _, name := range secretFields {
		if einvoice.IsMasked(fields.text(name)) {
			delete(fields, name)
		}
	}
	return fields
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
