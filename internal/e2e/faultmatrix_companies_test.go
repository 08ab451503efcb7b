package e2e_test

import (
	"fmt"
	"maps"
	"reflect"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

const companyGiven = `
name                = "Filial"
legal_name          = "Filial Ltda"
federal_tax_number  = "11222333000181"
address             = { city = { code = "3550308" } }
deletion_protection = false`

const companyWanted = `
name                = "Filial Nova"
legal_name          = "Filial Ltda"
federal_tax_number  = "11222333000181"
address             = { city = { code = "3550308" } }
deletion_protection = false`

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
		name: "create", class: classCreation, named: true, method: "POST", path: "/v1/companies",
		wanted: companyGiven, done: exists, task: "creat", standing: "Company adopted without its API key", adopts: "Adopted company",
	}),
	companyKind(requestKind{
		name: "read after creating", method: "GET", path: "/v1/companies/{id}", before: 1,
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
	k.path, k.task, k.adopts = "/v1/companies/{id}/certificates", "certificate|upload|company not found", "Adopted certificate"
	k.seed = func(s *sandbox.Server) map[string]string {
		fixture.ExpectConfiguredPFX(s)
		return nil
	}
	k.other = func(*sandbox.Server) string {
		return `{"id": "00000000-0000-4000-8000-000000000001", "subject": "Outra", "isActive": false}`
	}
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
