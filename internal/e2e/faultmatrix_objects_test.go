package e2e_test

import (
	"errors"
	"fmt"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// What the CLIs are told to destroy and the service says that it does not have
// is looked for in the list, found there, and left alone with a warning.
var undeletable = map[string]meeting{faultNotFound: meetWarned}

// A read that is answered with 404 goes to the list.
var listed = map[string]meeting{faultNotFound: meetLookedUp}

// catalogued are the requests about one kind of object of the catalogue. Each is there as
// given, and changed to what is wanted. Some are beside an update and a deletion.
type catalogued struct {
	kind          requestKind // what they share
	noun, path    string
	given, wanted string
	changed       func(*cell) bool
	unlisted      map[string]meeting // how a list that shows none at all is met
	beside        []requestKind
}

func (c catalogued) kinds() []requestKind {
	one, read, update := c.path+"/{id}", "read "+c.noun, "update "+c.noun
	kinds := append([]requestKind{
		{
			name: "create", class: classCreation, named: true, method: "POST", path: c.path,
			wanted: c.given, done: exists, task: "creat", adopts: "Adopted " + c.noun,
		},
		{name: "read", method: "GET", path: one, instead: listed, given: c.given, planOnly: true, task: read},
		{
			name: "read from the list", method: "GET", path: c.path, list: true, before: 1,
			options: sandbox.Options{NoReadByID: true}, instead: c.unlisted, given: c.given, planOnly: true, task: read,
		},
		{
			name: "read before updating", method: "GET", path: one, skip: 1, before: 1, instead: listed,
			given: c.given, wanted: c.wanted, done: c.changed, task: update,
		},
		{
			name: "update", class: classWrite, method: "PUT", path: one, before: 2,
			given: c.given, wanted: c.wanted, done: c.changed, task: update,
		},
	}, append(c.beside, requestKind{
		name: "delete", class: classWrite, method: "DELETE", path: one, before: 1,
		given: c.given, destroy: true, done: gone, task: "delete " + c.noun, instead: undeletable,
	})...)
	for i := range kinds {
		k := &kinds[i]
		k.group, k.resource, k.objects, k.bystander = c.kind.group, "einvoice_"+c.noun, c.kind.objects, c.kind.bystander
	}
	return kinds
}

// A list that shows none at all proves nothing.
var noneListed = map[string]meeting{faultOther: meetNone, faultNotFound: meetWarned}

var customerOther = map[string]any{"name": "Confeitaria", "federalTaxNumber": "11444777000161"}

var customerKinds = catalogued{
	kind: requestKind{group: "Customers", objects: sandbox.KindCustomers, bystander: customerOther},
	noun: "customer", path: "/v1/customers", unlisted: map[string]meeting{faultOther: meetNone},
	given:   "name = \"Padaria\"\nfederal_tax_number = \"11222333000181\"",
	wanted:  "name = \"Padaria Nova\"\nfederal_tax_number = \"11222333000181\"",
	changed: has("name", "Padaria Nova"),
}.kinds()

var productOther = map[string]any{"name": "Bolo", "code": "B-1", "price": 20}

var productKinds = catalogued{
	kind: requestKind{group: "Products", objects: sandbox.KindProducts, bystander: productOther},
	noun: "product", path: "/v1/products", unlisted: noneListed,
	given:   "name = \"Pão\"\ncode = \"P-1\"\nprice = 1.5",
	wanted:  "name = \"Pão francês\"\ncode = \"P-1\"\nprice = 1.5",
	changed: has("name", "Pão francês"),
}.kinds()

const (
	webhookGiven    = "event = \"invoice.authorized\"\nurl = \"https://erp.example/hooks\""
	webhookDisabled = webhookGiven + "\nenabled = false"
)

var webhookOther = map[string]any{"event": "invoice.authorized", "url": "https://bi.example/hooks", "enabled": true}

var webhookKinds = catalogued{
	kind: requestKind{group: "Webhooks", objects: sandbox.KindWebhooks, bystander: webhookOther},
	noun: "webhook", path: "/v1/webhooks", unlisted: noneListed,
	given:   webhookGiven,
	wanted:  "event = \"invoice.authorized\"\nurl = \"https://erp.example/hooks/v2\"",
	changed: has("url", "https://erp.example/hooks/v2"),
	beside: []requestKind{
		{
			name: "enable", class: classWrite, method: "PUT", path: "/v1/webhooks/{id}/enable", before: 1,
			given: webhookDisabled, wanted: webhookGiven, done: has("enabled", true), task: "enable webhook",
		}, {
			name: "disable", class: classWrite, method: "PUT", path: "/v1/webhooks/{id}/disable", before: 1,
			given: webhookGiven, wanted: webhookDisabled, done: has("enabled", false), task: "disable webhook",
		},
	},
}.kinds()

const rotationWanted = `triggers = { round = "1" }`

func secretKind(k requestKind) requestKind {
	k.group, k.resource = "Webhook secret", "einvoice_webhook_secret_rotation"
	k.task, k.standing, k.adopts = "webhook secret", "Destroy does not undo the rotation", "Response to a rotation"
	k.other = func(*sandbox.Server) string {
		return `{"id": "00000000-0000-4000-8000-000000000001", "event": "invoice.authorized", "url": "https://bi.example/hooks"}`
	}
	k.settled = func(c *cell) error {
		if n := c.service.Count("POST", "/v1/webhooks/secret/rotate"); c.kind.class == classRead && n > 1 {
			return fmt.Errorf("the secret was rotated %d times", n)
		}
		return nil
	}
	k.holds = func(c *cell, attributes map[string]any) error {
		if attributes["secret"] != c.service.WebhookSecret() {
			return errors.New("the secret is not the one in force")
		}
		return nil
	}
	return k
}

func secretChanged(c *cell) bool { return c.service.WebhookSecret() != c.secret }

var secretKinds = []requestKind{
	secretKind(requestKind{
		name: "read before rotating", method: "GET", path: "/v1/webhooks/secret", wanted: rotationWanted, done: secretChanged,
	}),
	secretKind(requestKind{
		name: "rotate", class: classCreation, method: "POST", path: "/v1/webhooks/secret/rotate", before: 1,
		wanted: rotationWanted, done: secretChanged,
		// Any success is one, and the new secret is read.
		instead: map[string]meeting{faultText: meetHarmless, faultWrongType: meetHarmless, faultOther: meetHarmless},
	}),
	secretKind(requestKind{
		name: "read after rotating", method: "GET", path: "/v1/webhooks/secret", skip: 1, before: 2, options: sandbox.Options{EmptyRotateAnswer: true},
		wanted: rotationWanted, done: secretChanged, acted: true,
	}),
	secretKind(requestKind{
		name: "read", method: "GET", path: "/v1/webhooks/secret", given: rotationWanted, planOnly: true,
	}),
}
