# opa test policy
package main_test

import rego.v1

import data.main

issuance := "einvoice_invoice_issuance"

order := "einvoice_order"

settings := "einvoice_company_settings"

company := "einvoice_company"

letter := "einvoice_correction_letter"

change(kind, actions, before, after, unknown) := {
	"address": sprintf("%s.x", [kind]),
	"type": kind,
	"mode": "managed",
	"change": {"actions": actions, "before": before, "after": after, "after_unknown": unknown},
}

plan_of(changes) := {"format_version": "1.2", "planned_values": {}, "resource_changes": changes}

invoking(kind) := {
	"format_version": "1.2", "planned_values": {},
	"action_invocations": [{"address": sprintf("action.%s.x", [kind]), "type": kind}],
}

paying(payload) := {"payload_json": json.marshal(payload), "cancellation_reason": null}

sale_to(number, email) := {"total": {"invoiceAmount": 1}, "receiver": {"federalTaxNumber": number, "email": email}}

sends(payload) := plan_of([change(issuance, ["create"], null, paying(payload), {"status": true})])

sells(sale) := plan_of([change(order, ["create"], null, sale, {"invoices": true})])

nothing_approved := {"amount": 10000, "production": [], "companies": [], "cancellations": [], "replacements": [], "unchecked": [], "letters": [], "issuers": [], "actions": []}

# Each plan causes these messages, given in part, and no others.
judges(plans, approved) if {
	every name, judged in plans {
		print(name)
		messages := main.deny with input as judged.plan with data.approved as approved
		print(messages)
		count(messages) == count(judged.refused)
		every part in judged.refused {
			some message in messages
			contains(message, part)
		}
	}
}

reasoned := {"cancellation_reason": "Issued twice, by mistake"}

forgotten := {"cancellation_reason": null}

test_what_is_no_plan if {
	judges(
		{
			"a plan of nothing": {"plan": {"format_version": "1.2", "planned_values": {}}, "refused": []},
			"a state": {"plan": {"format_version": "1.0", "values": {}}, "refused": ["This is not a plan"]},
			"a plan of another format": {"plan": {"format_version": "2.0", "planned_values": {}}, "refused": ["This is not a plan"]},
			"an empty object": {"plan": {}, "refused": ["This is not a plan"]},
			"a list": {"plan": [], "refused": ["This is not a plan"]},
			"null": {"plan": null, "refused": ["This is not a plan"]},
			"a text": {"plan": "plan", "refused": ["This is not a plan"]},
			"changes of an odd shape": {"plan": {"format_version": "1.2", "planned_values": {}, "resource_changes": "none"}, "refused": ["This is not a plan"]},
			"actions of an odd shape": {"plan": {"format_version": "1.2", "planned_values": {}, "action_invocations": [7]}, "refused": ["This is not a plan"]},
			"a plan that has failed": {"plan": {"format_version": "1.2", "planned_values": {}, "errored": true}, "refused": ["has failed"]},
			"a change that is no object": {"plan": plan_of([7]), "refused": ["Change 0 of the plan cannot be read"]},
			"a change without a type": {"plan": plan_of([{"address": "x.y", "change": {"actions": ["delete"]}}]), "refused": ["Change 0 of the plan cannot be read"]},
			"a kind of change that is new": {"plan": plan_of([change("einvoice_customer", ["abandon"], {}, null, {})]), "refused": ["Change 0 of the plan cannot be read"]},
			"one that is new beside another": {"plan": plan_of([change("einvoice_customer", ["delete", "abandon"], {}, null, {})]), "refused": ["Change 0 of the plan cannot be read"]},
			"something else": {"plan": plan_of([change("einvoice_customer", ["create"], null, {"name": "x"}, {"id": true})]), "refused": []},
			"beside a run": {"plan": {"run": {}, "plan": plan_of([change(company, ["delete"], {}, null, {})])}, "refused": ["is deleted"]},
		},
		nothing_approved,
	)
}

# A script must not read a missing answer as consent.
test_verdict if {
	main.verdict == "passes: 0 changes, of which 0 send an invoice, order or letter" with input as plan_of([])
	main.verdict == "passes: 1 changes, of which 0 send an invoice, order or letter" with input as plan_of([
		change("einvoice_customer", ["create"], null, {}, {}), change("einvoice_customer", ["no-op"], {}, {}, {}),
		change("einvoice_invoices", ["read"], null, {}, {}),
	])
	not startswith(main.verdict, "passes") with input as {}
	contains(main.verdict, "is deleted") with input as plan_of([change(company, ["delete"], {}, null, {})])
}

set_to(word) := {"product_invoice": {"environment_type": "development"}, "consumer_invoice": {"environment_type": word}, "service_invoice": {"environment_type": "simulation"}}

test_production if {
	judges(
		{
			"becomes production": {"plan": plan_of([change(settings, ["update"], set_to("development"), set_to("production"), {})]), "refused": ["consumer_invoice.environment_type goes from development to production"]},
			"stays production": {"plan": plan_of([change(settings, ["update"], set_to("production"), set_to("production"), {})]), "refused": []},
			"leaves production": {"plan": plan_of([change(settings, ["update"], set_to("production"), set_to("simulation"), {})]), "refused": ["from production to simulation"]},
			"between the others": {"plan": plan_of([change(settings, ["update"], set_to("development"), set_to("simulation"), {})]), "refused": []},
			"begins in production": {"plan": plan_of([change(settings, ["create"], null, set_to("production"), {})]), "refused": ["from none to production"]},
			"another company's": {"plan": plan_of([change(settings, ["delete", "create"], set_to("production"), set_to("production"), {})]), "refused": ["from none to production"]},
			"a word that is known later": {"plan": plan_of([change(settings, ["update"], set_to("development"), set_to(null), {"consumer_invoice": {"environment_type": true}})]), "refused": ["to known after apply"]},
			"a block that is known later": {"plan": plan_of([change(settings, ["create"], null, {}, {"product_invoice": true, "consumer_invoice": true, "service_invoice": true})]), "refused": ["product_invoice", "consumer_invoice", "service_invoice"]},
			"begins without an environment": {"plan": plan_of([change(settings, ["create"], null, object.union(set_to(null), {"product_invoice": null}), {})]), "refused": ["product_invoice.environment_type goes from none to unset", "consumer_invoice.environment_type goes from none to unset"]},
			"a block that begins without an environment": {"plan": plan_of([change(settings, ["update"], object.union(set_to("development"), {"product_invoice": null}), object.union(set_to("development"), {"product_invoice": {"series": "2", "environment_type": null}}), {})]), "refused": ["product_invoice.environment_type goes from none to unset"]},
			"a block that nobody sets": {"plan": plan_of([change(settings, ["update"], object.union(set_to("development"), {"product_invoice": null}), object.union(set_to("simulation"), {"product_invoice": null}), {})]), "refused": []},
			"is read": {"plan": plan_of([object.union(change(settings, ["read"], null, set_to("production"), {}), {"mode": "data"})]), "refused": []},
			"is forgotten": {"plan": plan_of([change(settings, ["delete"], set_to("production"), null, {})]), "refused": []},
		},
		nothing_approved,
	)
}

test_companies if {
	guarded := {"deletion_protection": true}
	unguarded := {"deletion_protection": false}
	judges(
		{
			"is made": {"plan": plan_of([change(company, ["create"], null, guarded, {"id": true})]), "refused": []},
			"is read": {"plan": plan_of([object.union(change(company, ["read"], null, {"name": "x"}, {}), {"mode": "data"})]), "refused": []},
			"is made without protection": {"plan": plan_of([change(company, ["create"], null, unguarded, {})]), "refused": ["no deletion_protection"]},
			"loses its protection": {"plan": plan_of([change(company, ["update"], guarded, unguarded, {})]), "refused": ["no deletion_protection"]},
			"lost it before": {"plan": plan_of([change(company, ["no-op"], unguarded, unguarded, {})]), "refused": ["no deletion_protection"]},
			"loses it perhaps": {"plan": plan_of([change(company, ["update"], guarded, {}, {"deletion_protection": true})]), "refused": ["no deletion_protection"]},
			"is deleted": {"plan": plan_of([change(company, ["delete"], unguarded, null, {})]), "refused": ["is deleted, with its key"]},
			"is replaced": {"plan": plan_of([change(company, ["delete", "create"], guarded, guarded, {})]), "refused": ["is deleted"]},
			"is replaced, made before": {"plan": plan_of([change(company, ["create", "delete"], guarded, guarded, {})]), "refused": ["is deleted"]},
			"what is left of it is deleted": {"plan": plan_of([object.union(change(company, ["delete"], guarded, null, {}), {"deposed": "a1b2c3d4"})]), "refused": ["is deleted"]},
			"is forgotten": {"plan": plan_of([change(company, ["forget"], guarded, null, {})]), "refused": ["the only copy of its key"]},
			"is made anew and forgotten": {"plan": plan_of([change(company, ["create", "forget"], guarded, guarded, {})]), "refused": ["the only copy of its key"]},
			"gets another number": {"plan": plan_of([change(company, ["update"], numbered("11.222.333/0002-62"), numbered("11.222.333/0003-43"), {})]), "refused": ["another federal_tax_number in place of 11.222.333/0002-62"]},
			"gets a number that is known later": {"plan": plan_of([change(company, ["update"], numbered("11.222.333/0002-62"), guarded, {"federal_tax_number": true})]), "refused": ["another federal_tax_number"]},
			"is written in another way": {"plan": plan_of([change(company, ["update"], numbered("11.222.333/0002-62"), numbered("11222333000262"), {})]), "refused": []},
		},
		nothing_approved,
	)
}

numbered(number) := {"deletion_protection": true, "federal_tax_number": number}

test_letters_and_issuers if {
	written := {"invoice_id": "a", "letter": "Onde se lê 1, leia-se 2", "issuer": "11222333000181"}
	judges(
		{
			"is sent": {"plan": plan_of([change(letter, ["create"], null, written, {})]), "refused": ["may be sent"]},
			"of an invoice that is known later": {"plan": plan_of([change(letter, ["delete", "create"], written, object.remove(written, ["invoice_id"]), {"invoice_id": true})]), "refused": ["may be sent"]},
			"another text": {"plan": plan_of([change(letter, ["update"], written, object.union(written, {"letter": "x"}), {})]), "refused": ["may be sent"]},
			"without an issuer": {"plan": plan_of([change(letter, ["create"], null, object.remove(written, ["issuer"]), {"issuer": true})]), "refused": ["may be sent", "does not say which company"]},
			"stays": {"plan": plan_of([change(letter, ["no-op"], written, written, {})]), "refused": []},
			"other things of it": {"plan": plan_of([change(letter, ["update"], written, object.union(written, {"timeouts": {}}), {})]), "refused": []},
			"is forgotten": {"plan": plan_of([change(letter, ["delete"], written, null, {})]), "refused": []},
			"an invoice without an issuer": {"plan": plan_of([change(issuance, ["create"], null, paying({"total": {"invoiceAmount": 1}}), {"status": true, "issuer": true})]), "refused": ["does not say which company"]},
			"an order without an issuer": {"plan": plan_of([change(order, ["create"], null, {"amount": 1, "items": []}, {"issuer": true})]), "refused": ["does not say which company"]},
		},
		nothing_approved,
	)
}

test_cancellations_and_replacements if {
	little := paying({"total": {"invoiceAmount": 1}})
	judges(
		{
			"is forgotten": {"plan": plan_of([change(issuance, ["delete"], forgotten, null, {})]), "refused": []},
			"is removed": {"plan": plan_of([change(issuance, ["forget"], reasoned, null, {})]), "refused": []},
			"is canceled": {"plan": plan_of([change(issuance, ["delete"], reasoned, null, {})]), "refused": ["is canceled"]},
			"may be canceled": {"plan": plan_of([change(issuance, ["delete"], {}, null, {})]), "refused": ["is canceled"]},
			"of an order": {"plan": plan_of([change(order, ["delete"], reasoned, null, {})]), "refused": ["is canceled"]},
			"is replaced": {"plan": plan_of([change(issuance, ["delete", "create"], forgotten, little, {"status": true})]), "refused": ["is replaced"]},
			"is replaced, issued before": {"plan": plan_of([change(issuance, ["create", "delete"], reasoned, little, {"status": true})]), "refused": ["is replaced", "is canceled"]},
			"is issued anew and forgotten": {"plan": plan_of([change(issuance, ["create", "forget"], reasoned, little, {"status": true})]), "refused": ["is replaced"]},
			"is issued again by another name": {"plan": plan_of([change(issuance, ["create"], null, little, {"status": true}), change(issuance, ["delete"], little, null, {})]), "refused": ["issues again"]},
			"is issued again to another contact": {"plan": plan_of([change(issuance, ["create"], null, paying(object.union({"effectiveDate": "2026-11-20"}, sale_to("52998224725", "b@example.com"))), {"status": true}), change(issuance, ["delete"], paying(sale_to("529.982.247-25", "a@example.com")), null, {})]), "refused": ["issues again"]},
			"the same is issued to somebody else": {"plan": plan_of([change(issuance, ["create"], null, paying(sale_to("11144477735", "a@example.com")), {"status": true}), change(issuance, ["delete"], paying(sale_to("52998224725", "a@example.com")), null, {})]), "refused": []},
			"another one is issued": {"plan": plan_of([change(issuance, ["create"], null, little, {"status": true}), change(issuance, ["delete"], paying({}), null, {})]), "refused": []},
			"is issued again by another company": {
				"plan": plan_of([
					change(issuance, ["create"], null, object.union(little, {"issuer": "1"}), {"status": true}),
					change(issuance, ["delete"], object.union(little, {"issuer": "2"}), null, {}),
				]),
				"refused": [],
			},
			"is issued again after a cancellation": {"plan": plan_of([change(issuance, ["create"], null, little, {"status": true}), change(issuance, ["delete"], object.union(little, reasoned), null, {})]), "refused": ["is canceled"]},
			"a reason is added": {"plan": plan_of([change(issuance, ["update"], forgotten, reasoned, {})]), "refused": []},
			"the payload is unchecked": {"plan": plan_of([change(issuance, ["create"], null, object.union(little, {"payload_check": false}), {"status": true})]), "refused": ["unchecked"]},
			"the payload may be unchecked": {"plan": plan_of([change(issuance, ["create"], null, little, {"status": true, "payload_check": true})]), "refused": ["unchecked"]},
			"the payload is checked": {"plan": plan_of([change(issuance, ["create"], null, object.union(little, {"payload_check": null}), {"status": true})]), "refused": []},
			"an action cancels": {"plan": invoking("einvoice_invoice_cancel"), "refused": ["is invoked"]},
			"an action issues": {"plan": invoking("einvoice_order_issue_invoices"), "refused": ["is invoked"]},
			"an action that is new": {"plan": invoking("einvoice_something"), "refused": ["is invoked"]},
			"an action that reads": {"plan": invoking("einvoice_inbound_sync"), "refused": []},
			"an action of another": {"plan": invoking("aws_lambda_invoke"), "refused": []},
		},
		nothing_approved,
	)
}

test_amounts if {
	much := "The plan issues for"
	unknown := "what it amounts to is not known"
	large := paying({"total": {"invoiceAmount": 10001}})
	judges(
		{
			"nothing changes": {"plan": plan_of([change(issuance, ["no-op"], large, large, {})]), "refused": []},
			"an update that sends none": {"plan": plan_of([change(issuance, ["update"], forgotten, large, {})]), "refused": []},
			"little": {"plan": sends({"total": {"invoiceAmount": 10000}}), "refused": []},
			"much": {"plan": sends({"total": {"invoiceAmount": 10000.01}}), "refused": [much]},
			"much, by a large number": {"plan": plan_of([change(issuance, ["create"], null, {"payload_json": `{"total":{"invoiceAmount":1e5}}`}, {})]), "refused": [much]},
			"much, by a second total": {"plan": plan_of([change(issuance, ["create"], null, {"payload_json": `{"total":{"invoiceAmount":1},"total":{"invoiceAmount":10001}}`}, {})]), "refused": [much]},
			"much in parts": {"plan": plan_of([change(issuance, ["create"], null, paying({"total": {"invoiceAmount": n}}), {}) | some n in [4000, 6001]]), "refused": [much]},
			"twice the same": {"plan": plan_of([change(issuance, ["create"], null, paying({"total": {"invoiceAmount": 6000}}), {}) | some _ in [1, 2]]), "refused": [much]},
			"much by a correction": {"plan": plan_of([change(issuance, ["update"], forgotten, large, {"status": true})]), "refused": [much]},
			"an NF-e without a total": {"plan": sends({"payments": [{"method": "pix", "amount": 10001}]}), "refused": [much]},
			"an NF-e of little": {"plan": sends({"payments": [{"method": "pix", "amount": 10}], "items": [{"totalAmount": 10}]}), "refused": []},
			"only items": {"plan": sends({"items": [{"totalAmount": 6000}, {"totalAmount": 4001}]}), "refused": [much]},
			"more items than its total": {"plan": sends({"total": {"invoiceAmount": 1}, "items": [{"totalAmount": 10001}]}), "refused": [much]},
			"more paid than its total": {"plan": sends({"total": {"invoiceAmount": 1}, "payments": [{"amount": 10001}]}), "refused": [much]},
			"no amount at all": {"plan": sends({"description": "x"}), "refused": [unknown]},
			"an amount under another name": {"plan": sends({"Total": {"InvoiceAmount": 1}}), "refused": [unknown]},
			"no payload": {"plan": plan_of([change(issuance, ["create"], null, {}, {"status": true, "payload_json": true})]), "refused": [unknown]},
			"a payload that is none": {"plan": plan_of([change(issuance, ["create"], null, {"payload_json": "{"}, {})]), "refused": [unknown]},
			"an amount as text": {"plan": sends({"total": {"invoiceAmount": "1"}}), "refused": [unknown]},
			"a payment without amount": {"plan": sends({"payments": [{"method": "pix"}], "total": {"invoiceAmount": 1}}), "refused": [unknown]},
			"an item without amount": {"plan": sends({"items": [{"quantity": 100, "unitAmount": 1000}]}), "refused": [unknown]},
			"one that takes away": {"plan": sends({"total": {"invoiceAmount": -20000}}), "refused": [unknown]},
			"parts of an odd shape": {"plan": sends({"payments": [10001], "total": {"invoiceAmount": 1}}), "refused": [unknown]},
			"a total of an odd shape": {"plan": sends({"total": [10001], "payments": [{"amount": 1}]}), "refused": [unknown]},
			"a small order": {"plan": sells({"amount": 10000, "items": [{"price": 10000, "quantity": null, "amount": null}]}), "refused": []},
			"a large order": {"plan": sells({"amount": 10001, "items": []}), "refused": [much]},
			"more items than its amount": {"plan": sells({"amount": 1, "items": [{"price": 5001, "quantity": 2}]}), "refused": [much]},
			"a discount": {"plan": sells({"amount": 9000, "items": [{"price": 5001, "quantity": 2, "discount_amount": 1002}]}), "refused": []},
			"an order of unknown amount": {"plan": sells({"items": []}), "refused": [unknown]},
			"an order of unknown quantity": {"plan": plan_of([change(order, ["create"], null, {"amount": 1, "items": [{"price": 1}]}, {"items": [{"quantity": true}]})]), "refused": [unknown]},
			"an order that is approved": {"plan": plan_of([change(order, ["update"], {}, {"amount": 10001, "items": []}, {"invoices": true})]), "refused": [much]},
		},
		nothing_approved,
	)
}

test_approvals if {
	plan := plan_of([
		change(company, ["delete"], {}, null, {}),
		change(settings, ["update"], set_to("development"), set_to("production"), {}),
		change(issuance, ["delete", "create"], reasoned, object.union(paying({"total": {"invoiceAmount": 1}}), {"payload_check": false}), {}),
	])
	addresses := {"companies": ["einvoice_company.x"], "production": ["einvoice_company_settings.x"], "cancellations": ["einvoice_invoice_issuance.x"], "replacements": ["einvoice_invoice_issuance.x"], "unchecked": ["einvoice_invoice_issuance.x"], "actions": ["action.einvoice_invoice_cancel.x"]}
	approved := object.union(nothing_approved, addresses)
	sending := plan_of([change(letter, ["create"], null, {"letter": "x"}, {"invoice_id": true, "issuer": true})])
	judges({"a letter": {"plan": sending, "refused": []}}, object.union(nothing_approved, {"letters": ["einvoice_correction_letter.x"], "issuers": ["einvoice_correction_letter.x"]}))
	judges({"all": {"plan": plan, "refused": []}, "an action": {"plan": invoking("einvoice_invoice_cancel"), "refused": []}}, approved)
	judges({"none": {"plan": plan, "refused": ["is deleted", "to production", "is canceled", "is replaced", "unchecked"]}}, nothing_approved)

	# Something else is moved to where an approval stands.
	moved := object.union(change(company, ["delete"], {}, null, {}), {"previous_address": "einvoice_company.y"})
	judges({"moved": {"plan": plan_of([moved]), "refused": ["is deleted"]}}, approved)

	# Another instance, another module.
	other := object.union(change(company, ["delete"], {}, null, {}), {"address": `module.a.einvoice_company.x["b"]`})
	judges({"elsewhere": {"plan": plan_of([other]), "refused": ["is deleted"]}}, approved)

	# The list is missing, or the limit is no number.
	judges({"no list": {"plan": plan, "refused": ["is deleted", "to production", "is canceled", "is replaced", "unchecked", "The plan issues for"]}}, {})
	judges({"no limit": {"plan": sends({"total": {"invoiceAmount": 1}}), "refused": ["The plan issues for"]}}, {"amount": "much"})
}
