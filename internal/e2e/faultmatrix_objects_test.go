package e2e_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
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
		k.first = c.kind.first && k.planOnly
	}
	return kinds
}

// A list that shows none at all proves nothing.
var noneListed = map[string]meeting{faultOther: meetNone, faultNotFound: meetWarned}

var customerOther = map[string]any{"name": "Confeitaria", "federalTaxNumber": "11444777000161"}

var customerKinds = catalogued{
	kind: requestKind{group: "Customers", first: true, objects: sandbox.KindCustomers, bystander: customerOther},
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

// always is an answer about an object that is not at the service, with these members.
func always(members string) func(*sandbox.Server) string {
	return func(*sandbox.Server) string {
		return `{"id": "00000000-0000-4000-8000-000000000001", ` + members + "}"
	}
}

const rotationWanted = `triggers = { round = "1" }`

func secretKind(k requestKind) requestKind {
	k.group, k.resource = "Webhook secret", "einvoice_webhook_secret_rotation"
	k.standing = "The secret of all webhooks will be rotated"
	k.task = "webhook secret"
	k.other = always(`"event": "invoice.authorized", "url": "https://bi.example/hooks"`)
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
		instead: shownByRead,
	}),
	secretKind(requestKind{
		name: "read after rotating", method: "GET", path: "/v1/webhooks/secret", skip: 1, before: 2, options: sandbox.Options{EmptyRotateAnswer: true},
		wanted: rotationWanted, done: secretChanged, acted: true,
	}),
	secretKind(requestKind{
		name: "read", method: "GET", path: "/v1/webhooks/secret", given: rotationWanted, planOnly: true,
	}),
}

const companyGiven = `
name                = "Filial"
legal_name          = "Filial Ltda"
federal_tax_number  = "11222333000181"
address             = { city = { code = "3550308" } }
deletion_protection = false`

var companyWanted = strings.Replace(companyGiven, `"Filial"`, `"Filial Nova"`, 1)

var companyOther = map[string]any{
	"name": "Confeitaria", "legalName": "Confeitaria Ltda", "federalTaxNumber": "11444777000161", "_apiKey": "other-key-0123456789abcdef",
}

func companyKind(k requestKind) requestKind {
	k.group, k.resource, k.objects, k.bystander = "Companies", "einvoice_company", sandbox.KindCompanies, companyOther
	// The key is shown once, in the answer to the creation.
	k.holds = func(c *cell, attributes map[string]any) error {
		id, _ := attributes["id"].(string)
		want := c.service.KeyOf(id)
		if c.kind.class == classCreation && c.want == meetLookedUp {
			want = ""
		}
		if attributes["api_key"] != want {
			return fmt.Errorf("the API key is %q, want %q", attributes["api_key"], want)
		}
		return nil
	}
	return k
}

var companyKinds = []requestKind{
	companyKind(requestKind{
		name: "look up before creating", method: "GET", path: "/v1/companies", list: true,
		wanted: companyGiven, done: exists, task: "creat", instead: map[string]meeting{faultOther: meetHarmless},
	}),
	companyKind(requestKind{
		name: "create", class: classCreation, named: true, method: "POST", path: "/v1/companies", before: 1,
		wanted: companyGiven, done: exists, task: "creat", standing: "Company adopted without its API key", adopts: "Adopted company",
	}),
	companyKind(requestKind{
		name: "read after creating", method: "GET", path: "/v1/companies/{id}", before: 2,
		wanted: companyGiven, done: exists, acted: true, instead: everyFault(meetHarmless, nil),
	}),
	companyKind(requestKind{
		name: "read", method: "GET", path: "/v1/companies/{id}", instead: listed,
		given: companyGiven, planOnly: true, task: "read company",
	}),
	companyKind(requestKind{
		name: "read before updating", method: "GET", path: "/v1/companies/{id}", skip: 1, before: 1,
		given: companyGiven, wanted: companyWanted, done: has("name", "Filial Nova"), task: "update company",
	}),
	companyKind(requestKind{
		name: "update", class: classWrite, method: "PUT", path: "/v1/companies/{id}", before: 2,
		given: companyGiven, wanted: companyWanted, done: has("name", "Filial Nova"), task: "update company",
	}),
	companyKind(requestKind{
		name: "read before deleting", method: "GET", path: "/v1/companies/{id}", skip: 1, before: 1, instead: listed,
		given: companyGiven, destroy: true, done: gone, task: "delete company", standing: "Deleting company",
	}),
	companyKind(requestKind{
		name: "delete", class: classWrite, method: "DELETE", path: "/v1/companies/{id}", before: 2, instead: undeletable,
		given: companyGiven, destroy: true, done: gone, task: "delete company", standing: "Deleting company",
	}),
}

const settingsWanted = `
company_id      = "OWNER"
product_invoice = { series = "7" }`

func settingsKind(k requestKind) requestKind {
	k.group, k.resource, k.task = "Settings of companies", "einvoice_company_settings", "company settings|company not found"
	k.other = func(s *sandbox.Server) string {
		return string(s.SettingsJSON(s.Seed(sandbox.KindCompanies, companyOther)))
	}
	k.settled = func(c *cell) error {
		want := maps.Clone(c.held)
		block, _ := want["productInvoice"].(map[string]any)
		block = maps.Clone(block)
		block["series"] = "7"
		want["productInvoice"] = block
		if held := c.service.SettingsClear(c.service.OwnerCompanyID()); !reflect.DeepEqual(held, want) {
			return fmt.Errorf("the settings are\n%v, want\n%v", held, want)
		}
		return nil
	}
	return k
}

func seriesWritten(c *cell) bool {
	block, _ := c.service.SettingsClear(c.service.OwnerCompanyID())["productInvoice"].(map[string]any)
	return block["series"] == "7"
}

var settingsKinds = []requestKind{
	settingsKind(requestKind{
		name: "read before writing", method: "GET", path: "/v1/companies/{id}/settings", wanted: settingsWanted, done: seriesWritten,
	}),
	settingsKind(requestKind{
		name: "write", class: classWrite, method: "PUT", path: "/v1/companies/{id}/settings", before: 1, wanted: settingsWanted, done: seriesWritten,
	}),
	settingsKind(requestKind{
		name: "read to verify", method: "GET", path: "/v1/companies/{id}/settings", skip: 1, before: 2,
		wanted: settingsWanted, done: seriesWritten, acted: true,
	}),
	settingsKind(requestKind{
		name: "read", method: "GET", path: "/v1/companies/{id}/settings", given: settingsWanted, planOnly: true,
	}),
}

const certificateWanted = `
company_id            = "OWNER"
pfx_base64_wo         = "` + fixture.ConfiguredPFX + `"
password_wo           = "` + fixture.ConfiguredPFXPassword + `"
pfx_base64_wo_version = "1"`

func certificateKind(k requestKind) requestKind {
	k.group, k.resource, k.objects, k.writeOnly = "Certificates of companies", "einvoice_company_certificate", sandbox.KindCertificates, true
	k.path, k.task = "/v1/companies/{id}/certificates", "certificate|upload|company not found"
	k.seed = func(s *sandbox.Server) map[string]string {
		fixture.ExpectConfiguredPFX(s)
		return nil
	}
	k.other = always(`"subject": "Outra", "isActive": false`)
	return k
}

var certificateKinds = []requestKind{
	certificateKind(requestKind{
		name: "read before uploading", method: "GET", list: true, wanted: certificateWanted, done: exists,
		// Whatever was there before is not what is uploaded.
		instead: map[string]meeting{faultOther: meetHarmless},
	}),
	certificateKind(requestKind{
		name: "upload", class: classCreation, method: "POST", before: 1, wanted: certificateWanted, done: exists,
		// Only the service can tell what is in the file.
		instead: map[string]meeting{faultOther: meetNone},
	}),
	certificateKind(requestKind{
		name: "read", method: "GET", list: true, given: certificateWanted, planOnly: true,
		instead: map[string]meeting{faultOther: meetNone},
	}),
}
