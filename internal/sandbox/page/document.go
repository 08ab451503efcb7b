package page

import (
	"slices"
	"strings"
	"unicode"
)

// Document is what is printed of an invoice. Every text in it has gone through a Redactor.
type Document struct {
	// Query is the handler's to set.
	Query
	Invoice Invoice
	Nature  string
	// Direction, Purpose and References are of an NF-e: whether goods come in, what it is for, and the access keys of
	// the documents that it refers to as a whole.
	Direction, Purpose string
	References         []string
	Issued             Moment
	Environment        string
	Issuer             Party
	Receiver           Party
	Items              []Item
	Totals             []Setting
	Notes              string
	AccessKey          string
	Protocol           string
	Authorized         Moment
	Contingency        bool
	// Services are the facts of an invoice of services, such as its codes.
	Services []Setting
	XML      string
}

// Party is one side of an invoice.
type Party struct {
	Name, TaxNumber, StateTaxNumber, CityTaxNumber, Email, Phone string
	Address                                                      string
}

// Item is one line of an invoice.
type Item struct {
	Code, Description, NCM, CFOP, Unit, Quantity, UnitAmount, Amount string
	// ICMS is its tax situation, rate and amount. Origin is the access key of the document that the item was sold with,
	// and OriginItem its number there.
	ICMS               Tax
	Origin, OriginItem string
}

// Tax is a tax of an item.
type Tax struct{ Situation, Rate, Amount string }

// Service reports whether the invoice is a city's, which has no items.
func (d Document) Service() bool { return d.Invoice.Model == "serviceInvoice" }

// Heading is the legal name of the document.
func (d Document) Heading() string {
	switch d.Invoice.Model {
	case "productInvoice":
		return "Documento Auxiliar da Nota Fiscal Eletrônica"
	case "consumerInvoice":
		return "Documento Auxiliar da Nota Fiscal de Consumidor Eletrônica"
	default:
		return "Documento Auxiliar da Nota Fiscal de Serviço Eletrônica"
	}
}

// Kind is the short name of the document.
func (d Document) Kind() string {
	switch d.Invoice.Model {
	case "productInvoice":
		return "DANFE"
	case "consumerInvoice":
		return "DANFE NFC-e"
	default:
		return "DANFSe"
	}
}

// Standing is the authority's statement about the invoice, in the language of the document.
func (d Document) Standing() string {
	if d.Contingency && d.Protocol == "" {
		return "EMITIDA EM CONTINGÊNCIA, PENDENTE DE AUTORIZAÇÃO"
	}
	return strings.ToUpper(Portuguese.word("state", d.Invoice.State.Word))
}

// directions and purposes are the words of the layout of an NF-e for those of the service.
var (
	directions = map[string]string{"incoming": "Entrada", "outgoing": "Saída"}
	purposes   = map[string]string{
		"complement": "Complementar", "adjustment": "Ajuste", "devolution": "Devolução de mercadoria",
		"credit": "Crédito", "debit": "Débito",
	}
)

// Operation is what the invoice is for, in the language of the document; empty where it has no such words.
func (d Document) Operation() string {
	var parts []string
	for _, word := range []string{directions[d.Direction], purposes[d.Purpose]} {
		if word != "" {
			parts = append(parts, word)
		}
	}
	return strings.Join(parts, " – ")
}

// Rate is one in the language of the document.
func (d Document) Rate(text string) string { return Portuguese.number(text, 2) + "%" }

// Where is the environment, in the language of the document.
func (d Document) Where() string { return Portuguese.word("environment", d.Environment) }

// On is a moment in the language of the document.
func (d Document) On(m Moment) string { return Portuguese.dated(m) }

// Total is an amount, or a rate, as it is printed.
func (d Document) Total(s Setting) string {
	rate := strings.HasSuffix(s.Name, "Rate")
	switch {
	case s.Value == "" && rate:
		return "não informada"
	case s.Value == "":
		return "não informado"
	case rate:
		return Portuguese.number(s.Value, 2) + "%"
	default:
		return d.Money(s.Value)
	}
}

// Sums are the totals in the order of paper: each tax with its base and rate.
func (d Document) Sums() []Setting {
	byPlace := func(a, b Setting) int { return place(a.Name) - place(b.Name) }
	return slices.SortedStableFunc(slices.Values(d.Totals), byPlace)
}

// Money is an amount in the language of the document.
func (d Document) Money(text string) string { return Portuguese.reais(text) }

// Quantity is one in the language of the document.
func (d Document) Quantity(text string) string { return Portuguese.number(text, 0) }

// XMLLines is the XML with a line for each element, for reading.
func (d Document) XMLLines() string { return strings.ReplaceAll(d.XML, "><", ">\n<") }

// labels are the printed names of totals and facts, in the order in which totals are printed.
var labels = [][2]string{
	{"productAmount", "Valor dos produtos"},
	{"freightAmount", "Frete"},
	{"insuranceAmount", "Seguro"},
	{"othersAmount", "Outras despesas acessórias"},
	{"discountAmount", "Desconto"},
	{"discountUnconditionedAmount", "Desconto incondicionado"},
	{"discountConditionedAmount", "Desconto condicionado"},
	{"deductionsAmount", "Deduções"},
	{"icmsBaseTax", "Base de cálculo do ICMS"},
	{"icmsAmount", "Valor do ICMS"},
	{"icmsStBaseTax", "Base de cálculo do ICMS ST"},
	{"icmsStAmount", "Valor do ICMS ST"},
	{"ipiAmount", "Valor do IPI"},
	{"issBaseTax", "Base de cálculo do ISS"},
	{"issRate", "Alíquota do ISS"},
	{"issAmount", "Valor do ISS"},
	{"issWithheld", "ISS retido"},
	{"issAmountWithheld", "Valor do ISS retido"},
	{"pisCofinsBaseTax", "Base de cálculo PIS/COFINS"},
	{"pisRate", "Alíquota do PIS"},
	{"pisAmount", "Valor do PIS"},
	{"pisWithheld", "PIS retido"},
	{"cofinsRate", "Alíquota da COFINS"},
	{"cofinsAmount", "Valor da COFINS"},
	{"cofinsWithheld", "COFINS retida"},
	{"irRate", "Alíquota do IR"},
	{"irAmount", "Valor do IR"},
	{"irWithheld", "IR retido"},
	{"csllRate", "Alíquota da CSLL"},
	{"csllAmount", "Valor da CSLL"},
	{"csllWithheld", "CSLL retida"},
	{"inssRate", "Alíquota do INSS"},
	{"inssAmount", "Valor do INSS"},
	{"inssWithheld", "INSS retido"},
	{"ibsCbsBaseTax", "Base de cálculo IBS/CBS"},
	{"ibsStateRate", "Alíquota do IBS da UF"},
	{"ibsStateAmount", "IBS da UF"},
	{"ibsCityRate", "Alíquota do IBS do município"},
	{"ibsCityAmount", "IBS do município"},
	{"ibsAmount", "Valor do IBS"},
	{"cbsRate", "Alíquota da CBS"},
	{"cbsAmount", "Valor da CBS"},
	{"receivedAmount", "Valor recebido"},
	{"netAmount", "Valor líquido"},
	{"invoiceAmount", "Valor total da nota"},

	{"federalServiceCode", "Código do serviço (LC 116/2003)"},
	{"cityServiceCode", "Código do serviço no município"},
	{"nationalTaxationCode", "Código de tributação nacional"},
	{"nbsCode", "NBS"},
	{"cnaeCode", "CNAE"},
	{"verificationCode", "Código de verificação"},
	{"rps", "RPS"},
}

// place is where a name stands among the labels; behind them all where it has none.
func place(name string) int {
	if i := slices.IndexFunc(labels, func(l [2]string) bool { return l[0] == name }); i >= 0 {
		return i
	}
	return len(labels)
}

// label is the printed name of a total, or else the words of its field.
func label(name string) string {
	if i := place(name); i < len(labels) {
		return labels[i][1]
	}
	var out strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			out.WriteByte(' ')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}
