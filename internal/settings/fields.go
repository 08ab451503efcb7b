package settings

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// field is a row of the table of settings. Both schemas, the plan, the state and what is sent follow from it.
type field struct {
	name   string // of the attribute; the service has the same in camel case
	kind   kind
	about  string // what it is, and what else to know when it is set
	checks checks
	fields []field // of an object

	// Of a spelled text; example is one that is not too long.
	spelling *attribute.Spelling
	limit    int
	example  string

	// Of a secret.
	companion string // the service's field that is of no use without it
	writeOnly string // its write-only argument in `secrets`
}

type checks = []validator.String

type kind int

const (
	anyText    kind = iota
	word            // one of some words, shown as the number 0 while it is unset
	spelled         // a text that may be written in several ways
	flag            // true or false
	number          // a whole number
	nextNumber      // a whole number that the service raises with each invoice
	secret          // a text that the service may mask or not show, in state only while it is configured
	secretJSON      // a JSON value, likewise, that is write-only and so an attribute of no block
	object          // more fields
	anyJSON         // a value of extra_json, as it is written
)

func (f field) wireName() string { return attribute.CamelCase(f.name) }

func (f field) isSecret() bool { return f.kind == secret || f.kind == secretJSON }

// place is a field where it belongs: in the configuration, and in the service's document.
type place struct {
	field
	at   path.Path // product_invoice.inbound.enabled
	keys []string  // productInvoice, inbound, enabled
}

// root is where the blocks are.
var root = place{field: field{kind: object, fields: blocks}}

func (p place) inner(f field) place {
	return place{f, p.at.AtName(f.name), append(slices.Clone(p.keys), f.wireName())}
}

// member is the place of a member of an object, which may have no attribute.
func (p place) member(wireName string) place {
	for _, f := range p.fields {
		if strings.EqualFold(f.wireName(), wireName) { // A service may ignore case.
			return p.inner(f)
		}
	}
	unknown := place{keys: append(slices.Clone(p.keys), wireName)}
	if i := slices.IndexFunc(secrets, func(s place) bool { return s.key() == unknown.key() }); i >= 0 {
		return secrets[i]
	}
	return unknown
}

// key names the field in the service's document, such as productInvoice.inbound.enabled.
func (p place) key() string { return strings.Join(p.keys, ".") }

func (p place) block() string { return p.keys[0] }

// parent is the attribute of its block.
func (p place) parent() string { return message.SnakeCase(p.block()) }

func (p place) version() string          { return p.writeOnly + "_version" }
func (p place) writeOnlyPath() path.Path { return path.Root("secrets").AtName(p.writeOnly) }
func (p place) versionPath() path.Path   { return path.Root("secrets").AtName(p.version()) }

var (
	series      = field{name: "series", about: "Series of the invoices."}
	nextInvoice = field{
		name: "next_number", kind: nextNumber,
		about: "Number of the next invoice. In a block without it, the first invoice leaves with number 0 and is rejected.",
	}
	environmentType = field{
		name: "environment_type", kind: word, checks: checks{attribute.EnumValidator{Words: einvoice.EnvironmentTypes}},
		about: "Environment that the invoices are issued in: " + attribute.WordList(einvoice.EnvironmentTypes) +
			". With `production` the invoices are legally valid, even in a test account.",
	}
	csc = field{
		name: "csc", kind: secret, about: "The taxpayer's security code (CSC).", companion: "tokenId", writeOnly: "csc_wo",
	}
	password = field{
		name: "password", kind: secret, about: "Password for the city's system.",
		companion: "userName", writeOnly: "service_password_wo",
	}
	csrts = field{
		name: "csrts", kind: secretJSON, writeOnly: "csrts_wo",
		about: "Security codes of the technical contact (CSRT), as a JSON list. The specification does not show " +
			"their form: ask your service. With a CLI older than 1.11 use `extra_json`, which keeps the codes in " +
			"state.",
	}
)

// blocks are the objects of the settings document. The service replaces each as a whole.
var blocks = []field{
	{name: "general", kind: object, about: "Settings of the company as a whole.", fields: []field{
		{name: "allow_duplicate_federal_tax_numbers", kind: flag, about: "Whether companies may share a tax number."},
		{name: "allow_natural_person_company", kind: flag, about: "Whether a company may be a natural person (CPF)."},
		{
			name: "allow_multiple_invoice_models_per_order", kind: flag,
			about: "Whether one sale may be split into invoices of several models.",
		},
		{name: "decimal_precision", kind: number, about: "Number of decimal places of amounts."},
		{name: "tax_reform_fields_enabled", kind: flag, about: "Whether IBS and CBS (tax reform) are used."},
		{name: "technical_responsible", kind: object, about: "Technical contact (`infRespTec`).", fields: []field{
			{
				name: "federal_tax_number", kind: spelled, about: "CNPJ of the responsible company. With or without punctuation.",
				spelling: attribute.TaxNumberSpelling, limit: 14, example: "11.222.333/0001-81",
				checks: checks{attribute.CompanyTaxNumberValidator},
			},
			{name: "contact_name", about: "Name of the person to contact."},
			{name: "email", about: "E-mail address of the contact."},
			{
				name: "phone", kind: spelled, about: "Telephone of the contact. With or without punctuation.",
				spelling: attribute.PhoneSpelling, limit: 15, example: "+55 11 91234-5678",
			},
		}},
	}},
	{name: "product_invoice", kind: object, about: "Issuing of product invoices (NF-e).", fields: []field{
		series, nextInvoice, environmentType,
		{
			name: "danfe_print_layout", kind: word,
			checks: checks{attribute.EnumValidator{Words: einvoice.DanfePrintLayouts, Assumed: true}},
			about:  "Layout of the printed document: " + attribute.WordList(einvoice.DanfePrintLayouts) + ".",
		},
		{name: "inbound", kind: object, about: "Search for received invoices (notas recebidas).", fields: []field{
			{name: "enabled", kind: flag, about: "Whether the search is on."},
			{
				name: "start_date", kind: spelled, about: "Earliest date and time of imported invoices (ISO 8601).",
				spelling: attribute.DateTimeSpelling, checks: checks{attribute.DateTimeValidator},
			},
		}},
	}},
	{name: "consumer_invoice", kind: object, about: "Issuing of consumer invoices (NFC-e).", fields: []field{
		series, nextInvoice, environmentType,
		{name: "token_id", about: "Identifier of the taxpayer's security code (CSC id)."},
		csc,
		{
			name: "allow_offline_contingency", kind: flag,
			about: "Whether invoices may be issued offline while the authority is unavailable. Needs `token_id` and a CSC.",
		},
	}},
	{name: "service_invoice", kind: object, about: "Issuing of service invoices (NFS-e).", fields: []field{
		{name: "series", about: "Series of the RPS. The national environment (`annfs`) takes 10001 to 49999 only, and " +
			"rejects any other with L0022."},
		{name: "next_number", kind: nextNumber, about: "Number of the next RPS."},
		{name: "next_batch_number", kind: nextNumber, about: "Number of the next batch."},
		environmentType,
		{
			name: "issue_type", kind: word, checks: checks{attribute.EnumValidator{Words: einvoice.InvoiceIssueTypes}},
			about: "How the invoices are issued: " + attribute.WordList(einvoice.InvoiceIssueTypes) +
				". `normal` is the city's system, `annfs` the national environment.",
		},
		{name: "user_name", about: "User name for the city's system."},
		password,
		{name: "auth_number", about: "Authorization number that the city has assigned."},
		{name: "send_city_tax_number", kind: flag, about: "Whether the municipal registration (inscrição municipal) " +
			"is sent."},
	}},
}

var (
	cscSecret      = secretIn(csc, "consumer_invoice")
	passwordSecret = secretIn(password, "service_invoice")
	csrtsSecret    = secretIn(csrts, "general", "technical_responsible")
	secrets        = []place{cscSecret, passwordSecret, csrtsSecret}
)

// secretIn is a secret in a block, or in an object in it.
func secretIn(f field, objects ...string) (p place) {
	for _, name := range objects {
		p = p.inner(field{name: name})
	}
	return p.inner(f)
}
