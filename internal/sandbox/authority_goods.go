package sandbox

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// moc is the contributor's manual of NF-e and NFC-e, whose rules of validation have an id each.
const moc = "MOC 7.0, Anexo I, rule "

// Where the manual has no rule because the schema of the authority decides, or integrations have reported the service.
const (
	schemaNFe = "schema of the NF-e 4.00 (leiauteNFe_v4.00.xsd), "
	reported  = "reported by integrations: "
)

var (
	ncmForm  = regexp.MustCompile(`^([0-9]{2}|[0-9]{8})$`)
	cfopForm = regexp.MustCompile(`^[123567][0-9]{3}$`)
	gtinForm = regexp.MustCompile(`^([0-9]{8}|[0-9]{12,14})$`)
)

// noGTIN is written where a product has no bar code.
const noGTIN = "SEM GTIN"

// itemFields are what every item must have. Those of the taxable unit, and makeupTotal, are reported to be needed.
var itemFields = []string{
	"code", "description", "ncm", "cfop", "unit", "quantity", "unitAmount", "totalAmount", "unitTax", "quantityTax",
	"unitTaxAmount", "makeupTotal",
}

// neededOfAddress is what the schema demands of the address of a receiver; the city has its code, name and state from the service.
var neededOfAddress = []string{"street", "number", "district", "city"}

// payloadRules are what the service finds before it transmits.
var payloadRules = []rule{
	{codePayload, bothGoods, false, schemaNFe + "det", "A nota fiscal não tem itens: items", when(func(p *presented) bool { return len(p.items) == 0 })},
	{codePayload, bothGoods, false, schemaNFe + "prod; " + reported + "the fields of the taxable unit and makeupTotal", "Campo obrigatório do item não informado:", missingOfItem},
	{codePayload, bothGoods, false, schemaNFe + "NCM", "O campo ncm deve ter 8 dígitos, ou ser 00", inItem(func(_ *presented, item object) bool {
		ncm := text(item, "ncm")
		return ncm != "" && !ncmForm.MatchString(ncm)
	})},
	{codePayload, bothGoods, false, schemaNFe + "CFOP", "O campo cfop deve ter 4 dígitos e começar por 1, 2, 3, 5, 6 ou 7", inItem(func(_ *presented, item object) bool {
		return item["cfop"] != nil && !cfopForm.MatchString(written(item["cfop"]))
	})},
	{codePayload, bothGoods, false, schemaNFe + "TDec", "Valores negativos não são aceitos no item", inItem(func(_ *presented, item object) bool {
		return slices.ContainsFunc([]string{"quantity", "unitAmount", "totalAmount", "quantityTax", "unitTaxAmount", "discountAmount"}, func(name string) bool {
			return decimal(item[name]).Sign() < 0
		})
	})},
	{codePayload, bothGoods, false, schemaNFe + "imposto", "O item não tem a tributação do ICMS: taxes.icms", inItem(func(_ *presented, item object) bool {
		return part(part(item, "taxes"), "icms") == nil && part(part(item, "taxes"), "issqn") == nil
	})},
	{codePayload, bothGoods, false, schemaNFe + "ICMS", "A tributação do ICMS precisa de origin (0 a 8) e de cst ou csosn, um dos dois, com um código da tabela", inItem(badICMS)},
	{codePayload, bothGoods, false, schemaNFe + "ICMS00, ICMS20", "Com cst 00 ou 20 o ICMS precisa de baseTax, rate e amount", inItem(func(_ *presented, item object) bool {
		icms := part(part(item, "taxes"), "icms")
		return slices.Contains([]string{"00", "20"}, written(icms["cst"])) && (icms["baseTax"] == nil || icms["rate"] == nil || icms["amount"] == nil)
	})},
	{codePayload, bothGoods, false, schemaNFe + "PISNT, PISOutr, COFINSNT and their siblings", "PIS e COFINS precisam de um cst da tabela", inItem(func(_ *presented, item object) bool {
		for _, name := range []string{"pis", "cofins"} {
			if tax := part(part(item, "taxes"), name); tax != nil && !slices.Contains(contributionCodes, written(tax["cst"])) {
				return true
			}
		}
		return false
	})},
	{codePayload, bothGoods, false, schemaNFe + "pag; " + reported + "that payments are needed", "Forma de pagamento não informada: payments", when(func(p *presented) bool {
		return p.normal() && len(objectsOf(p.payload["payments"])) == 0
	})},
	{codePayload, bothGoods, false, schemaNFe + "detPag", "O pagamento precisa de method e amount, não negativo", when(func(p *presented) bool {
		return slices.ContainsFunc(objectsOf(p.payload["payments"]), func(payment object) bool {
			return payment["method"] == nil || payment["amount"] == nil || decimal(payment["amount"]).Sign() < 0
		})
	})},
	{codePayload, nfce, false, schemaNFe + "indPres", "Indicador de presença não informado: presenceType", when(func(p *presented) bool { return text(p.doc, "presenceType") == "" })},
	{codePayload, bothGoods, false, schemaNFe + "enderDest", "Endereço do destinatário incompleto: receiver.address.", func(p *presented) (string, bool) {
		address := part(p.receiver, "address")
		for _, name := range neededOfAddress {
			if address != nil && (address[name] == nil || address[name] == "") {
				return name, true
			}
		}
		return "", false
	}},
	{codePayload, nfe, false, schemaNFe + "dest", "CPF ou CNPJ do destinatário não informado: receiver.federalTaxNumber", when(func(p *presented) bool {
		return p.receiver != nil && text(p.receiver, "federalTaxNumber") == "" && !p.abroad()
	})},
	{codePayload, bothGoods, true, schemaNFe + "dest", "O campo receiver.federalTaxNumber não é CPF nem CNPJ, e o destinatário não é do exterior", when(func(p *presented) bool {
		number := text(p.receiver, "federalTaxNumber")
		return number != "" && !isCPF(number) && !isCNPJ(number) && !p.abroad()
	})},
	// The authority would say 229.
	{codePayload, bothGoods, true, reported + "a company without its state registration fails when it issues", "Inscrição estadual do emitente não informada: stateTaxNumber da empresa", when(func(p *presented) bool {
		return text(p.company, "stateTaxNumber") == ""
	})},
}

// The tables of situation codes (MOC 7.0, Anexo I, groups N, Q and S).
var (
	icmsCodes    = []string{"00", "02", "10", "15", "20", "30", "40", "41", "50", "51", "53", "60", "61", "70", "90"}
	simplesCodes = []string{"101", "102", "103", "201", "202", "203", "300", "400", "500", "900"}

	contributionCodes = func() []string {
		var codes []string
		for _, span := range [][2]int{{1, 9}, {49, 56}, {60, 67}, {70, 75}, {98, 99}} {
			for n := span[0]; n <= span[1]; n++ {
				codes = append(codes, strconv.Itoa(100 + n)[1:])
			}
		}
		return codes
	}()
)

// consumerCFOPs are those of an NFC-e.
var consumerCFOPs = []string{"5101", "5102", "5103", "5104", "5115", "5405", "5656", "5667", "5933"}

// clockTolerance is how far the clocks of an issuer and an authority may differ.
const clockTolerance = 5 * time.Minute

// unidentifiedLimit is the amount above which the receiver of an NFC-e must be known.
var unidentifiedLimit = big.NewRat(10000, 1)

// goodsRules are what a state finds in the invoice as a whole.
var goodsRules = []rule{
	{"225", bothGoods, true, reported + "a number that was lost from the settings leaves as 0", "A nota saiu com número 0, que o schema da NF-e não aceita", when(func(p *presented) bool {
		return integer(p.settings, "nextNumber") == 0 && p.doc["_number"] == nil && integer(p.doc, "number") == 0
	})},
	{"464", nfce, true, reported + "the message asks for the two settings; its code was not observed", "O hash do QR-Code não confere. Informe tokenId e csc (CSC) nas configurações da empresa", when(func(p *presented) bool {
		return text(p.settings, "tokenId") == "" || text(p.settings, "csc") == ""
	})},
	{"291", bothGoods, true, "MOC 7.0, validation of the signature's certificate", "O certificado que assina a nota está vencido", when(func(p *presented) bool {
		return !p.certificateEnds.IsZero() && p.certificateEnds.Before(p.at)
	})},
	{"703", bothGoods, true, moc + "B09-10", "A data e hora de emissão é posterior ao recebimento pela SEFAZ", when(func(p *presented) bool { return p.emission.After(p.at.Add(clockTolerance)) })},
	{"228", nfe, true, moc + "B09-20", "A data de emissão está muito atrasada: mais de 30 dias", when(func(p *presented) bool { return p.emission.Before(p.at.AddDate(0, 0, -30)) })},
	{"704", nfce, true, moc + "B09-40", "A NFC-e chegou com data e hora de emissão atrasada", when(func(p *presented) bool { return p.emission.Before(p.at.Add(-clockTolerance)) })},
	{"207", bothGoods, true, moc + "C02-10", "O CNPJ do emitente não é válido", when(func(p *presented) bool {
		number := text(p.company, "federalTaxNumber")
		return isCNPJ(number) && !validTaxNumber(number)
	})},
	{"401", nfe, true, moc + "C02a-20", "O CPF do emitente não é válido", when(func(p *presented) bool {
		number := text(p.company, "federalTaxNumber")
		return isCPF(number) && !validTaxNumber(number)
	})},
	{"337", nfce, true, moc + "C02a-04", "Uma pessoa física não emite NFC-e", when(func(p *presented) bool { return isCPF(text(p.company, "federalTaxNumber")) })},
	{"254", nfe, false, "MOC 7.0, Anexo I, rules of B25 for finNFe 2", "NF-e complementar não possui NF referenciada", when(func(p *presented) bool {
		return text(p.doc, "purposeType") == "complement" && len(p.references()) == 0
	})},
	{"255", nfe, false, "MOC 7.0, Anexo I, rules of B25 for finNFe 2", "NF-e complementar possui mais de uma NF referenciada", when(func(p *presented) bool {
		return text(p.doc, "purposeType") == "complement" && len(p.references()) > 1
	})},
	{"708", nfce, false, moc + "BA01-10", "Uma NFC-e não pode referenciar outro documento", when(func(p *presented) bool {
		return len(p.references()) > 0
	})},
	{"707", nfce, false, moc + "B11a-10", "Uma NFC-e não serve para operação interestadual nem com o exterior", when(func(p *presented) bool {
		return p.destination() != "internal" && p.destination() != ""
	})},
	{"706", nfce, false, moc + "B11-10", "Uma NFC-e não serve para operação de entrada", when(func(p *presented) bool { return text(p.doc, "operationType") == "incoming" })},
	{"715", nfce, false, moc + "B25-20", "A finalidade não é aceita em NFC-e", when(func(p *presented) bool { return !p.normal() })},
	{"716", nfce, false, moc + "B25a-10", "A NFC-e é somente para consumidor final", when(func(p *presented) bool { return p.doc["isFinalCustomer"] == false })},
	{"717", nfce, false, moc + "B25b-20", "A operação não é presencial, e uma NFC-e tem que ser", when(func(p *presented) bool {
		return !slices.Contains([]string{"", "presence", "delivery"}, text(p.doc, "presenceType"))
	})},
	{"794", nfe, false, moc + "B25b-10", "A entrega em domicílio é somente de NFC-e", when(func(p *presented) bool { return text(p.doc, "presenceType") == "delivery" })},
	{"719", nfe, false, moc + "E01-10", "Falta a identificação do destinatário da NF-e", when(func(p *presented) bool { return p.receiver == nil })},
	{"787", nfce, false, moc + "E01-20", "NFC-e com entrega em domicílio precisa da identificação do destinatário", when(func(p *presented) bool {
		return text(p.doc, "presenceType") == "delivery" && p.receiver == nil
	})},
	{"724", nfe, false, moc + "E04-10", "Falta o nome do destinatário da NF-e", when(func(p *presented) bool { return p.receiver != nil && text(p.receiver, "name") == "" })},
	{"788", nfce, false, moc + "E05-20", "NFC-e com entrega em domicílio precisa do endereço do destinatário", when(func(p *presented) bool {
		return text(p.doc, "presenceType") == "delivery" && p.receiver != nil && part(p.receiver, "address") == nil
	})},
	{"726", nfe, false, moc + "E05-10", "Falta o endereço do destinatário da NF-e", when(func(p *presented) bool { return p.receiver != nil && part(p.receiver, "address") == nil })},
	{"208", bothGoods, true, moc + "E02-10", "O CNPJ do destinatário não é válido", when(func(p *presented) bool {
		number := text(p.receiver, "federalTaxNumber")
		return isCNPJ(number) && !validTaxNumber(number)
	})},
	{"237", bothGoods, true, moc + "E03-10", "O CPF do destinatário não é válido", when(func(p *presented) bool {
		number := text(p.receiver, "federalTaxNumber")
		return isCPF(number) && !validTaxNumber(number)
	})},
	{"729", nfce, false, moc + "E17-10", "A NFC-e não leva a IE do destinatário", when(func(p *presented) bool { return text(p.receiver, "stateTaxNumber") != "" })},
	{"730", nfce, false, moc + "E18-10", "A NFC-e não leva inscrição na Suframa", when(func(p *presented) bool { return text(p.receiver, "suframaTaxNumber") != "" })},
	{"521", nfe, false, moc + "I08-70", "Operação interna com destinatário contribuinte do ICMS em outra UF", when(func(p *presented) bool {
		return p.destination() == "internal" && p.otherState() && text(p.doc, "presenceType") != "presence" &&
			!slices.Contains([]string{"", stateTaxExempt}, text(p.receiver, "stateTaxNumber"))
	})},
	{"772", nfe, false, moc + "E12-30, E12-50", "Operação Interestadual com destinatário na UF do emitente", when(func(p *presented) bool {
		return p.destination() == "interstate" && p.sameState() && !p.toItself()
	})},
	{"773", nfe, false, moc + "E12-40, E12-60", "Operação Interna com destinatário em outra UF", when(func(p *presented) bool {
		return p.destination() == "internal" && p.doc["isFinalCustomer"] == false && p.otherState()
	})},
	{"750", nfce, true, moc + "W16-40", "NFC-e acima de R$ 10.000,00 precisa do CPF ou CNPJ do destinatário", when(func(p *presented) bool {
		return text(p.receiver, "federalTaxNumber") == "" && decimal(p.doc["amount"]).Cmp(unidentifiedLimit) > 0
	})},
}

// destination is that of the payload. Where it does not say, the service is assumed to find it out.
func (p *presented) destination() string { return text(p.doc, "destination") }

// references are the documents that the invoice as a whole names.
func (p *presented) references() []any {
	list, _ := p.payload["referencedDocuments"].([]any)
	return list
}

// sameState and otherState say whether issuer and receiver are in one state; neither holds where that is not known.
func (p *presented) sameState() bool {
	return state(p.company) != "" && state(p.company) == state(p.receiver)
}

func (p *presented) otherState() bool {
	return state(p.company) != "" && state(p.receiver) != "" && state(p.company) != state(p.receiver)
}

// toItself says whether the issuer is the receiver too.
func (p *presented) toItself() bool {
	return text(p.company, "federalTaxNumber") == text(p.receiver, "federalTaxNumber")
}

// abroad says whether the receiver is in another country.
func (p *presented) abroad() bool {
	return p.destination() == "international" || state(p.receiver) == stateAbroad
}

// missingOfItem names the first field that an item lacks.
func missingOfItem(p *presented) (where string, broken bool) {
	for i, item := range p.items {
		for _, name := range itemFields {
			if item[name] == nil || item[name] == "" {
				return "items[" + strconv.Itoa(i) + "]." + name, true
			}
		}
	}
	return "", false
}

// badICMS says whether the ICMS of an item has no origin or not exactly one situation code of the tables.
func badICMS(_ *presented, item object) bool {
	icms := part(part(item, "taxes"), "icms")
	if icms == nil {
		return false
	}
	cst, csosn := written(icms["cst"]), written(icms["csosn"])
	origin := written(icms["origin"])
	switch {
	case len(origin) != 1 || origin < "0" || origin > "8", (cst == "") == (csosn == ""):
		return true
	case cst != "":
		return !slices.Contains(icmsCodes, cst)
	default:
		return !slices.Contains(simplesCodes, csosn)
	}
}
