package sandbox

import (
	"encoding/json"
)

// The blocks of a company's settings.
const (
	blockGeneral         = "general"
	blockProductInvoice  = "productInvoice"
	blockConsumerInvoice = "consumerInvoice"
	blockServiceInvoice  = "serviceInvoice"
)

// settingsBlockShape is what the service knows of one block.
type settingsBlockShape struct {
	name   string
	fields []settingsField
}

// settingsField is one field of a block. fresh is the value for a new company, in JSON; reset is the value after a
// PUT that leaves the field out. read reads and checks a sent value.
type settingsField struct {
	name   string
	fresh  string
	reset  string
	read   func(f *fields, name string) any
	secret bool
}

// unsetEnum is how the service answers an enum without a value; environmentType was observed.
const unsetEnum = json.Number("0")

// settingsBlocks are the four blocks of the specification with the reported fields, each with some that no client
// knows. The environment and numbering of a new company are not documented. It is assumed that it can issue, in
// homologação, where no invoice has legal value.
var settingsBlocks = []settingsBlockShape{
	{blockGeneral, []settingsField{
		{name: "allowDuplicateFederalTaxNumbers", fresh: "false", reset: "false", read: (*fields).flag},
		{name: "allowNaturalPersonCompany", fresh: "false", reset: "false", read: (*fields).flag},
		{name: "allowMultipleInvoiceModelsPerOrder", fresh: "false", reset: "false", read: (*fields).flag},
		{name: "decimalPrecision", fresh: "2", reset: "2", read: (*fields).integer},
		{name: "taxReformFieldsEnabled", fresh: "false", reset: "false", read: (*fields).flag},
		{name: "technicalResponsible", fresh: "null", reset: "null", read: (*fields).technicalResponsible},
		{name: "roundingTolerance", fresh: "1.50", reset: "0", read: (*fields).raw},
		{
			name:  "documentDelivery",
			fresh: `{"subject": "Emiss\u00e3o de \u003cnota\u003e", "copies": [], "delay": 1.0e1, "archive": null}`,
			reset: "null", read: (*fields).raw,
		},
	}},
	{blockProductInvoice, []settingsField{
		{name: "series", fresh: `"1"`, reset: "null", read: (*fields).anyText},
		{name: "nextNumber", fresh: "1", reset: "null", read: (*fields).integer},
		{name: "environmentType", fresh: `"development"`, reset: "0", read: settingsEnum(environmentTypes...)},
		{name: "danfePrintLayout", fresh: `"default"`, reset: `"default"`, read: settingsEnum("default", "simplified")},
		{name: "inbound", fresh: "null", reset: "null", read: (*fields).inboundSetting},
		{name: "volumeMarking", fresh: `"n\u00ba {volume} & {total}"`, reset: "null", read: (*fields).raw},
	}},
	{blockConsumerInvoice, []settingsField{
		{name: "series", fresh: `"1"`, reset: "null", read: (*fields).anyText},
		{name: "nextNumber", fresh: "1", reset: "null", read: (*fields).integer},
		{name: "environmentType", fresh: `"development"`, reset: "0", read: settingsEnum(environmentTypes...)},
		{name: "tokenId", fresh: "null", reset: "null", read: (*fields).anyText},
		{name: "csc", fresh: "null", reset: "null", read: (*fields).anyText, secret: true},
		{name: "allowOfflineContingency", fresh: "false", reset: "false", read: (*fields).flag},
		{name: "receiptWidth", fresh: "80.00", reset: "0", read: (*fields).raw},
	}},
	{blockServiceInvoice, []settingsField{
		{name: "series", fresh: `"1"`, reset: "null", read: (*fields).anyText},
		{name: "nextNumber", fresh: "1", reset: "null", read: (*fields).integer},
		{name: "nextBatchNumber", fresh: "1", reset: "null", read: (*fields).integer},
		{name: "environmentType", fresh: `"development"`, reset: "0", read: settingsEnum(environmentTypes...)},
		{name: "issueType", fresh: `"normal"`, reset: "0", read: settingsEnum(invoiceEnums["issueType"]...)},
		{name: "userName", fresh: "null", reset: "null", read: (*fields).anyText},
		{name: "password", fresh: "null", reset: "null", read: (*fields).anyText, secret: true},
		{name: "authNumber", fresh: "null", reset: "null", read: (*fields).anyText},
		{name: "sendCityTaxNumber", fresh: "false", reset: "false", read: (*fields).flag},
		{
			name: "providerOptions", fresh: `{"retention":0.0150,"layout":{"version":"2.04","extra":[1,2.0]}}`,
			reset: "null", read: (*fields).raw,
		},
	}},
}

func (f *fields) anyText(name string) any { return f.text(name, 0) }

// settingsEnum reads an enum; the number 0, which the service answers for an unset one, is accepted back.
func settingsEnum(allowed ...string) func(f *fields, name string) any {
	return func(f *fields, name string) any {
		if f.in[name] == unsetEnum {
			return f.raw(name)
		}
		return f.enum(name, allowed...)
	}
}

// technicalResponsible is reported; its csrts are optional and their form is not.
func (f *fields) technicalResponsible(name string) any {
	in := f.child(name)
	if in == nil {
		return nil
	}
	out := object{
		"federalTaxNumber": in.taxNumber("federalTaxNumber", 18),
		"contactName":      in.text("contactName", 60),
		"email":            in.email("email", 60),
		"phone":            in.phone("phone", 15),
		"csrts":            in.raw("csrts"),
	}
	return in.withUnknown(out)
}

// inboundSetting is reported: only invoices issued after startDate are imported.
func (f *fields) inboundSetting(name string) any {
	in := f.child(name)
	if in == nil {
		return nil
	}
	in.moment("startDate")
	return in.withUnknown(object{"enabled": in.flag("enabled"), "startDate": in.raw("startDate")})
}

// withUnknown adds the fields that the reader of an object does not know, as settings keep them.
func (f *fields) withUnknown(out object) object {
	for name, value := range f.in {
		setDefault(out, name, value)
	}
	return out
}
