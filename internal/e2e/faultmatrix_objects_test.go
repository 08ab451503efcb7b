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

var (
	customerGiven  = "name = \"Padaria\"\nfederal_tax_number = \"11222333000181\""
	customerWanted = "name = \"Padaria Nova\"\nfederal_tax_number = \"11222333000181\""
	customerOther  = map[string]any{"name": "Confeitaria", "federalTaxNumber": "11444777000161"}
)

// customerKind completes a kind with what all requests about customers share.
func customerKind(k requestKind) requestKind {
	k.group, k.resource, k.objects, k.bystander = "Customers", "einvoice_customer", sandbox.KindCustomers, customerOther
	return k
}

var customerKinds = []requestKind{
	customerKind(requestKind{
		name: "create", class: classCreation, named: true, method: "POST", path: "/v1/customers",
		wanted: customerGiven, done: exists, task: "creat", adopts: "Adopted customer",
	}),
	customerKind(requestKind{
		name: "read", method: "GET", path: "/v1/customers/{id}", instead: listed,
		given: customerGiven, planOnly: true, task: "read customer",
	}),
	customerKind(requestKind{
		name: "read from the list", method: "GET", path: "/v1/customers", list: true, before: 1, options: sandbox.Options{NoReadByID: true},
		given: customerGiven, planOnly: true, task: "read customer", instead: map[string]meeting{faultOther: meetNone},
	}),
	customerKind(requestKind{
		name: "read before updating", method: "GET", path: "/v1/customers/{id}", skip: 1, before: 1, instead: listed,
		given: customerGiven, wanted: customerWanted, done: has("name", "Padaria Nova"), task: "update customer",
	}),
	customerKind(requestKind{
		name: "update", class: classWrite, method: "PUT", path: "/v1/customers/{id}", before: 2,
		given: customerGiven, wanted: customerWanted, done: has("name", "Padaria Nova"), task: "update customer",
	}),
	customerKind(requestKind{
		name: "delete", class: classWrite, method: "DELETE", path: "/v1/customers/{id}", before: 1,
		given: customerGiven, destroy: true, done: gone, task: "delete customer", instead: undeletable,
	}),
}

var (
	productGiven  = "name = \"Pão\"\ncode = \"P-1\"\nprice = 1.5"
	productWanted = "name = \"Pão francês\"\ncode = \"P-1\"\nprice = 1.5"
	productOther  = map[string]any{"name": "Bolo", "code": "B-1", "price": 20}
)

func productKind(k requestKind) requestKind {
	k.group, k.resource, k.objects, k.bystander = "Products", "einvoice_product", sandbox.KindProducts, productOther
	return k
}

var productKinds = []requestKind{
	productKind(requestKind{
		name: "create", class: classCreation, named: true, method: "POST", path: "/v1/products",
		wanted: productGiven, done: exists, task: "creat", adopts: "Adopted product",
	}),
	productKind(requestKind{
		name: "read", method: "GET", path: "/v1/products/{id}", instead: listed,
		given: productGiven, planOnly: true, task: "read product",
	}),
	productKind(requestKind{
		name: "read from the list", method: "GET", path: "/v1/products", list: true, before: 1, options: sandbox.Options{NoReadByID: true},
		given: productGiven, planOnly: true, task: "read product",
		instead: map[string]meeting{faultOther: meetNone, faultNotFound: meetWarned}, // It shows none at all.
	}),
	productKind(requestKind{
		name: "read before updating", method: "GET", path: "/v1/products/{id}", skip: 1, before: 1, instead: listed,
		given: productGiven, wanted: productWanted, done: has("name", "Pão francês"), task: "update product",
	}),
	productKind(requestKind{
		name: "update", class: classWrite, method: "PUT", path: "/v1/products/{id}", before: 2,
		given: productGiven, wanted: productWanted, done: has("name", "Pão francês"), task: "update product",
	}),
	productKind(requestKind{
		name: "delete", class: classWrite, method: "DELETE", path: "/v1/products/{id}", before: 1,
		given: productGiven, destroy: true, done: gone, task: "delete product", instead: undeletable,
	}),
}

var (
	webhookGiven    = "event = \"invoice.authorized\"\nurl = \"https://erp.example/hooks\""
	webhookWanted   = "event = \"invoice.authorized\"\nurl = \"https://erp.example/hooks/v2\""
	webhookDisabled = webhookGiven + "\nenabled = false"
	webhookOther    = map[string]any{"event": "invoice.authorized", "url": "https://bi.example/hooks", "enabled": true}
)

func webhookKind(k requestKind) requestKind {
	k.group, k.resource, k.objects, k.bystander = "Webhooks", "einvoice_webhook", sandbox.KindWebhooks, webhookOther
	return k
}

var webhookKinds = []requestKind{
	webhookKind(requestKind{
		name: "create", class: classCreation, named: true, method: "POST", path: "/v1/webhooks",
		wanted: webhookGiven, done: exists, task: "creat", adopts: "Adopted webhook",
	}),
	webhookKind(requestKind{
		name: "read", method: "GET", path: "/v1/webhooks/{id}", instead: listed,
		given: webhookGiven, planOnly: true, task: "read webhook",
	}),
	webhookKind(requestKind{
		name: "read from the list", method: "GET", path: "/v1/webhooks", list: true, before: 1, options: sandbox.Options{NoReadByID: true},
		given: webhookGiven, planOnly: true, task: "read webhook",
		instead: map[string]meeting{faultOther: meetNone, faultNotFound: meetWarned}, // It shows none at all.
	}),
	webhookKind(requestKind{
		name: "read before updating", method: "GET", path: "/v1/webhooks/{id}", skip: 1, before: 1, instead: listed,
		given: webhookGiven, wanted: webhookWanted, done: has("url", "https://erp.example/hooks/v2"), task: "update webhook",
	}),
	webhookKind(requestKind{
		name: "update", class: classWrite, method: "PUT", path: "/v1/webhooks/{id}", before: 2,
		given: webhookGiven, wanted: webhookWanted, done: has("url", "https://erp.example/hooks/v2"), task: "update webhook",
	}),
	webhookKind(requestKind{
		name: "enable", class: classWrite, method: "PUT", path: "/v1/webhooks/{id}/enable", before: 1,
		given: webhookDisabled, wanted: webhookGiven, done: has("enabled", true), task: "enable webhook",
	}),
	webhookKind(requestKind{
		name: "disable", class: classWrite, method: "PUT", path: "/v1/webhooks/{id}/disable", before: 1,
		given: webhookGiven, wanted: webhookDisabled, done: has("enabled", false), task: "disable webhook",
	}),
	webhookKind(requestKind{
		name: "delete", class: classWrite, method: "DELETE", path: "/v1/webhooks/{id}", before: 1,
		given: webhookGiven, destroy: true, done: gone, task: "delete webhook", instead: undeletable,
	}),
}

const rotationWanted = `triggers = { round = "1" }`

func secretKind(k requestKind) requestKind {
	k.group, k.resource = "Webhook secret", "einvoice_webhook_secret_rotation"
	k.task, k.standing, k.adopts = "webhook secret", "Destroy does not undo the rotation", "Answer to a rotation"
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
