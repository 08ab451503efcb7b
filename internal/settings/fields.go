package settings

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// field is one field of the settings. Both schemas, the Go types, reading and sending follow from
// it.
type field struct {
	name   string // of the attribute; the service has the same in camel case
	kind   kind
	about  string // what it is
	advice string // what else to know when it is set

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
	text       kind = iota
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

var (
	series          = field{name: "series", about: "Series of the invoices."}
	nextInvoice     = field{name: "next_number", kind: nextNumber, about: "Number of the next invoice."}
	environmentType = field{
		name: "environment_type", kind: word, checks: checks{attribute.EnumValidator{Words: einvoice.EnvironmentTypes}},
		about:  "Environment that the invoices are issued in: " + attribute.WordList(einvoice.EnvironmentTypes) + ".",
		advice: " With `production` the invoices are legally valid, even in a test account.",
	}
	csc = field{
		name: "csc", kind: secret, about: "The taxpayer's security code (CSC).",
		companion: "tokenId", writeOnly: "csc_wo",
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
				name: "federal_tax_number", kind: spelled,
				about: "CNPJ of the responsible company.", advice: " With or without punctuation.",
				spelling: attribute.TaxNumberSpelling, limit: 14, example: "11.222.333/0001-81",
				checks: checks{attribute.CompanyTaxNumberValidator},
			},
			{name: "contact_name", about: "Name of the person to contact."},
			{name: "email", about: "E-mail address of the contact."},
			{
				name: "phone", kind: spelled,
				about: "Telephone of the contact.", advice: " With or without punctuation.",
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
			about:  "Whether invoices may be issued offline while the authority is unavailable.",
			advice: " Needs `token_id` and a CSC.",
		},
	}},
	{name: "service_invoice", kind: object, about: "Issuing of service invoices (NFS-e).", fields: []field{
		{name: "series", about: "Series of the RPS."},
		{name: "next_number", kind: nextNumber, about: "Number of the next RPS."},
		{name: "next_batch_number", kind: nextNumber, about: "Number of the next batch."},
		environmentType,
		{
			name: "issue_type", kind: word, checks: checks{attribute.EnumValidator{Words: einvoice.InvoiceIssueTypes}},
			about:  "How the invoices are issued: " + attribute.WordList(einvoice.InvoiceIssueTypes) + ".",
			advice: " `normal` is the city's system, `annfs` the national environment.",
		},
		{name: "user_name", about: "User name for the city's system."},
		password,
		{name: "auth_number", about: "Authorization number that the city has assigned."},
		{name: "send_city_tax_number", kind: flag, about: "Whether the municipal registration (inscrição municipal) " +
			"is sent."},
	}},
}

// withoutSecrets returns the fields that a data source shows.
func withoutSecrets(fields []field) []field {
	var shown []field
	for _, f := range fields {
		if f.kind != secret {
			f.fields = withoutSecrets(f.fields)
			shown = append(shown, f)
		}
	}
	return shown
}

func (f field) attrType() attr.Type {
	switch f.kind {
	case object:
		return types.ObjectType{AttrTypes: typesOf(f.fields)}
	case spelled:
		return attribute.SpelledType{Spelling: f.spelling}
	case flag:
		return types.BoolType
	case number, nextNumber:
		return types.Int64Type
	default:
		return types.StringType
	}
}

func typesOf(fields []field) map[string]attr.Type {
	attrTypes := make(map[string]attr.Type, len(fields))
	for _, f := range fields {
		attrTypes[f.name] = f.attrType()
	}
	return attrTypes
}

// read returns a field as the service shows it; null, missing and "" are null. prior is what the
// state has.
func (f field) read(raw json.RawMessage, prior attr.Value) (attr.Value, error) {
	switch f.kind {
	case object:
		held, _ := prior.(types.Object)
		if jsontree.IsNull(raw) {
			return attribute.AbsentObject(held, typesOf(f.fields)), nil
		}
		members, err := jsontree.Members(raw)
		if err != nil {
			return nil, fmt.Errorf("%s is not an object", f.wireName())
		}
		return readObject(f.fields, members, held)
	case secret:
		held, _ := prior.(types.String)
		if held.IsNull() || textForm(raw, held.ValueString()).mayBeConfigured() {
			return held, nil
		}
		v, err := scalar[einvoice.Text](f, raw, "a text") // The plan shows a change, and apply repairs it.
		return attribute.TextOrNull(v), err
	case spelled:
		v, err := scalar[einvoice.Text](f, raw, "a text")
		return attribute.SpelledOrNull(f.spelling, v), err
	case flag:
		v, err := scalar[*einvoice.Flag](f, raw, "true or false")
		return attribute.FlagOrNull(v), err
	case number, nextNumber:
		v, err := scalar[*einvoice.Int](f, raw, "a whole number")
		return attribute.IntOrNull(v), err
	case anyJSON:
		return attribute.JSONValue(cmp.Or(string(raw), "null")), nil
	case word:
		v, err := scalar[einvoice.Enum](f, raw, "a text")
		return attribute.TextOrNull(v), err
	default:
		v, err := scalar[einvoice.Text](f, raw, "a text")
		return attribute.TextOrNull(v), err
	}
}

func readObject(fields []field, held map[string]json.RawMessage, prior types.Object) (types.Object, error) {
	values := make(map[string]attr.Value, len(fields))
	for _, f := range fields {
		value, err := f.read(held[f.wireName()], leaf(prior, f.name))
		if err != nil {
			return types.Object{}, err
		}
		values[f.name] = value
	}
	return types.ObjectValueMust(typesOf(fields), values), nil
}

// scalar decodes one value; null, missing and "" are the zero value.
func scalar[T any](f field, raw json.RawMessage, want string) (value T, err error) {
	if jsontree.IsNull(raw) || string(raw) == `""` {
		return value, nil
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return value, fmt.Errorf("%s is not %s", f.wireName(), want)
	}
	return value, nil
}

// wire is the configured value as it is sent.
func (s setting) wire() json.RawMessage {
	switch value := s.value.(type) {
	case types.Int64:
		return fmt.Append(nil, value.ValueInt64())
	case types.Bool:
		return fmt.Append(nil, value.ValueBool())
	case attribute.JSON:
		return json.RawMessage(value.ValueString())
	}
	if s.kind == secretJSON {
		return json.RawMessage(s.text())
	}
	return jsontree.Text(s.text())
}

// text is a configured text; "" for none.
func (s setting) text() string { return string(attribute.AttrText(s.value)) }
