# Refuses what a plan must not do to companies and invoices without approval.
#
# The rules read the JSON of a plan (`terraform show -json tfplan`). There everything
# has its full address and type, so that modules, for_each, aliases and JSON syntax hide
# nothing. The rules also refuse what they cannot judge: no plan, a value that is known
# only after apply, an amount that is not found, an unknown action.
#
# An address in approved.rego is an exception.
package main

import rego.v1

# HCP Terraform passes the plan beside the run. All others pass the plan itself.
plan := object.get(input, "plan", input)

changes := object.get(plan, "resource_changes", [])

acting := [change | some change in changes; not change.change.actions in [["no-op"], ["read"]]]

invocations := object.get(plan, "action_invocations", [])

# For scripts: defined only if a plan was judged.
verdict := sprintf("passes: %d changes, of which %d send an invoice, order or letter", [count(acting), count(sent) + count(letters)]) if count(deny) == 0

verdict := concat("\n", sort(deny)) if count(deny) > 0

# The plan as a whole

is_plan if {
	startswith(plan.format_version, "1.")
	is_object(plan.planned_values)
	is_array(changes)
	every invocation in invocations {
		is_string(invocation.type)
	}
}

deny contains "This is not a plan: hand over what `terraform show -json` says of a saved plan." if not is_plan

deny contains "The plan has failed. Plan again." if plan.errored == true

deny contains msg if {
	some n, change in changes
	not readable(change)
	msg := sprintf("Change %d of the plan cannot be read: it may need a newer version of this policy.", [n])
}

readable(change) if {
	is_string(change.address)
	is_string(change.type)
	count(change.change.actions) > 0
	every action in change.change.actions {
		action in {"no-op", "create", "read", "update", "delete", "forget"}
	}
}

# Production

# New settings must set the environment of each model: the default of the service is
# production. So must an update that begins to set a block.
deny contains msg if {
	some change in managed("einvoice_company_settings")
	some action in ["create", "update"]
	action in change.change.actions
	some model in ["product_invoice", "consumer_invoice", "service_invoice"]
	before := held_environment(change, model)
	after := planned_environment(change, model)
	before != after
	some reached in [before, after]
	reached in {"production", "known after apply", "unset"}
	not approved("production", change)
	msg := sprintf("%s: %s.environment_type goes from %s to %s. Approve a change from or to production in `production`; write down an environment that is unset or not known.", [
		change.address, model, before, after,
	])
}

environment(settings, model) := word if {
	word := settings[model].environment_type
	is_string(word)
} else := "none"

# A replaced object had another company's settings.
held_environment(change, model) := "none" if {
	"create" in change.change.actions
} else := environment(values(change, "before"), model)

planned_environment(change, model) := "known after apply" if {
	unknown(change, [model, "environment_type"])
} else := "unset" if {
	environment(values(change, "after"), model) == "none"
	begins(change, model)
} else := environment(values(change, "after"), model)

begins(change, _) if "create" in change.change.actions

begins(change, model) if {
	is_object(change.change.after[model])
	not is_object(change.change.before[model])
}

# Companies

deny contains msg if {
	some change in managed("einvoice_company")
	some action in change.change.actions
	what := {"delete": "is deleted, with its key and all that was issued under it", "forget": "is forgotten, and with it the only copy of its key"}[action]
	not approved("companies", change)
	msg := sprintf("%s %s. Approve it in `companies`.", [change.address, what])
}

deny contains msg if {
	some change in managed("einvoice_company")
	is_object(change.change.after)
	not protected(change)
	not approved("companies", change)
	msg := sprintf("%s has no deletion_protection. Approve it in `companies`.", [change.address])
}

# What was issued stays with the former number.
deny contains msg if {
	some change in managed("einvoice_company")
	"update" in change.change.actions
	before := values(change, "before").federal_tax_number
	renumbered(change, before)
	not approved("companies", change)
	msg := sprintf("%s gets another federal_tax_number in place of %s. Approve it in `companies`.", [change.address, before])
}

renumbered(change, _) if unknown(change, ["federal_tax_number"])

renumbered(change, before) if digits(change.change.after.federal_tax_number) != digits(before)

# Numbers are equal with and without punctuation.
digits(number) := upper(regex.replace(number, `[./-]`, ""))

protected(change) if {
	change.change.after.deletion_protection == true
	not unknown(change, ["deletion_protection"])
}

# Invoices and orders

deny contains msg if {
	some change in sales
	"delete" in change.change.actions
	object.get(values(change, "before"), "cancellation_reason", "unknown") != null
	not approved("cancellations", change)
	msg := sprintf("%s is canceled, with legal effect. Approve it in `cancellations`.", [change.address])
}

deny contains msg if {
	some change in sales
	"create" in change.change.actions
	count(change.change.actions) > 1
	not approved("replacements", change)
	msg := sprintf("%s is replaced: another one is issued. Approve it in `replacements`.", [change.address])
}

# A reference was renumbered: what leaves stays issued, and is issued again under another name.
deny contains msg if {
	some made in managed("einvoice_invoice_issuance")
	made.change.actions == ["create"]
	some left in managed("einvoice_invoice_issuance")
	left.change.actions in [["delete"], ["forget"]]
	object.get(values(left, "before"), "cancellation_reason", null) == null
	sold(left.change.before.payload_json) == sold(made.change.after.payload_json)
	every key in ["model", "issuer"] {
		not differ(left.change.before, made.change.after, key)
	}
	not approved("replacements", made)
	msg := sprintf("%s issues again what %s has issued: receiver, items and amounts are the same. Approve it in `replacements`.", [made.address, left.address])
}

# What is sold to whom: without the date, and without the address and contacts of the receiver.
sold(payload) := object.union(object.remove(body, ["effectiveDate"]), {"receiver": receiver(body)}) if {
	body := json.unmarshal(payload)
}

receiver(body) := digits(body.receiver.federalTaxNumber)

receiver(body) := object.get(body, "receiver", null) if not body.receiver.federalTaxNumber

differ(before, after, key) if digits(before[key]) != digits(after[key])

deny contains msg if {
	some change in managed("einvoice_invoice_issuance")
	is_object(change.change.after)
	unchecked(change)
	not approved("unchecked", change)
	msg := sprintf("%s has its payload unchecked. Take payload_check out, or approve it in `unchecked`.", [change.address])
}

unchecked(change) if change.change.after.payload_check == false

unchecked(change) if unknown(change, ["payload_check"])

# A letter cannot be taken back. One that is not known yet may be sent.
letters := [change |
	some change in managed("einvoice_correction_letter")
	is_object(change.change.after)
	differs(change)
]

differs(change) if {
	some key in ["invoice_id", "letter"]
	unknown(change, [key])
}

differs(change) if {
	some key in ["invoice_id", "letter"]
	object.get(values(change, "before"), key, null) != object.get(change.change.after, key, null)
}

deny contains msg if {
	some change in letters
	not approved("letters", change)
	msg := sprintf("%s: a correction letter may be sent, with legal effect. Approve it in `letters`.", [change.address])
}

# Without issuer, the owner of the API key issues: in a plan nobody sees who that is.
deny contains msg if {
	some change in array.concat(sent, letters)
	unknown(change, ["issuer"])
	not approved("issuers", change)
	msg := sprintf("%s does not say which company issues it. Set `issuer`, or approve it in `issuers`.", [change.address])
}

# Actions take effect at once, without a plan that shows what they do.
deny contains msg if {
	some n, invocation in invocations
	startswith(invocation.type, "einvoice_")
	not invocation.type in {"einvoice_inbound_sync", "einvoice_invoice_check_status"}
	not invocation.address in data.approved.actions
	msg := sprintf("%s is invoked. Approve it in `actions`.", [object.get(invocation, "address", sprintf("Action %d of the plan", [n]))])
}

# Amounts

default limit := 0

limit := data.approved.amount if is_number(data.approved.amount)

# The invoices and orders that this plan sends: new ones, and corrected ones.
sent := [change |
	some change in sales
	sends(change)
]

sends(change) if "create" in change.change.actions

sends(change) if unknown(change, ["status"])

sends(change) if unknown(change, ["invoices"])

deny contains msg if {
	some change in sent
	not amount(change)
	msg := sprintf("%s: what it amounts to is not known. Write its amounts into the configuration.", [change.address])
}

deny contains msg if {
	total := sum([n | some change in sent; n := amount(change)])
	total > limit
	msg := sprintf("The plan issues for %v reais, and `amount` is %v.", [total, limit])
}

# The amount of an invoice is the largest of its total, its payments and its items.
amount(change) := max([sum(numbers) | some numbers in parts; count(numbers) > 0]) if {
	change.type == "einvoice_invoice_issuance"
	payload := json.unmarshal(change.change.after.payload_json)
	parts := [
		single(object.get(payload, "total", null), "invoiceAmount"),
		each(object.get(payload, "payments", null), "amount"),
		each(object.get(payload, "items", null), "totalAmount"),
	]
	some numbers in parts
	count(numbers) > 0
	every found in parts {
		every n in found {
			is_number(n)
			n >= 0
		}
	}
}

# The amount of a sale is the larger of its amount and its items.
amount(change) := max([total, sum([worth(item) | some item in items])]) if {
	change.type == "einvoice_order"
	total := change.change.after.amount
	is_number(total)
	items := change.change.after.items
	every n, item in items {
		worth(item) >= 0
		every key in ["price", "quantity", "discount_amount"] {
			not unknown(change, ["items", n, key])
		}
	}
}

worth(item) := max(array.concat(
	[n | n := item.amount; is_number(n)],
	[n | n := (item.price * number(item, "quantity", 1)) - number(item, "discount_amount", 0)],
))

number(item, key, missing) := missing if {
	object.get(item, key, null) == null
} else := item[key]

single(null, _) := []

single(whole, key) := [n | n := whole[key]; n != null] if is_object(whole)

each(null, _) := []

each(list, key) := [object.get(entry, key, "missing") | some entry in list] if {
	is_array(list)
	every entry in list {
		is_object(entry)
	}
}

# Helpers

managed(kind) := [change |
	some change in changes
	change.type == kind
	object.get(change, "mode", "managed") != "data"
]

sales := array.concat(managed("einvoice_invoice_issuance"), managed("einvoice_order"))

values(change, side) := found if {
	found := change.change[side]
	is_object(found)
} else := {}

# If an object is not known, the plan marks the object and not the values in it.
unknown(change, path) if {
	some n in numbers.range(1, count(path))
	object.get(values(change, "after_unknown"), array.slice(path, 0, n), false) == true
}

# An approval is for the object that had the address before, not for one moved there.
approved(list, change) if {
	change.address in data.approved[list]
	not change.previous_address
}
