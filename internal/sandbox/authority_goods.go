package sandbox

import (
	"cmp"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// Sources of rules that the manual does not have: the schema of the authority, and reports about the service.
const (
	schemaNFe = "schema of the NF-e 4.00 (leiauteNFe_v4.00.xsd), "
	reported  = "reported by integrations: "
)

var (
	ncmForm   = regexp.MustCompile(`^([0-9]{2}|[0-9]{8})$`)
	cfopForm  = regexp.MustCompile(`^[123567][0-9]{3}$`)
	sixDigits = regexp.MustCompile(`^[0-9]{6}$`)
)

// The series of an NFC-e that a natural person issues (337).
const (
	ruralSeriesFirst = 920
	ruralSeriesLast  = 969
)

// itemFields are the fields that every item must have. Integrations report that makeupTotal and the fields of the
// taxable unit are required.
var itemFields = []string{
	"code", "description", "ncm", "cfop", "unit", "quantity", "unitAmount", "totalAmount", "unitTax", "quantityTax",
	"unitTaxAmount", "makeupTotal",
}

// unsignedOfItem are the numbers of an item that must not be negative.
var unsignedOfItem = []string{
	"quantity", "unitAmount", "totalAmount", "quantityTax", "unitTaxAmount", "discountAmount",
}

// neededOfAddress are the fields that the schema requires in a receiver's address; the service adds those that follow
// from the city.
var neededOfAddress = []string{"street", "number", "district", "city"}

// payloadRules are the service's own rules, checked before transmission.
var payloadRules = []rule{
	{
		codePayload,
		[]invoiceModel{modelProduct, modelConsumer, modelService},
		false, schemaNFe + "TDec_1302 and its siblings",
		"Valor com mais casas decimais do que o leiaute aceita", found("too_many_decimals"),
	},
	{
		codePayload, bothGoods, false, schemaNFe + "det",
		"A nota fiscal não tem itens: items", when(func(p *presented) bool { return len(p.items) == 0 }),
	},
	{
		codePayload, bothGoods, false, schemaNFe + "prod; " + reported + "the fields of the taxable unit and makeupTotal",
		"Campo obrigatório do item não informado:", missingOfItem,
	},
	{
		codePayload, bothGoods, false, schemaNFe + "NCM",
		"O campo ncm deve ter 8 dígitos, ou ser 00", inItem(func(_ *presented, item object) bool {
			ncm := text(item, "ncm")
			return ncm != "" && !ncmForm.MatchString(ncm)
		}),
	},
	{
		codePayload, bothGoods, false, schemaNFe + "CFOP",
		"O campo cfop deve ter 4 dígitos e começar por 1, 2, 3, 5, 6 ou 7",
		inItem(func(_ *presented, item object) bool {
			return item["cfop"] != nil && !cfopForm.MatchString(written(item["cfop"]))
		}),
	},
	{
		codePayload, bothGoods, false, schemaNFe + "TDec",
		"Valores negativos não são aceitos no item", inItem(func(_ *presented, item object) bool {
			return slices.ContainsFunc(unsignedOfItem, func(name string) bool { return decimal(item[name]).Sign() < 0 })
		}),
	},
	{
		codePayload, bothGoods, false, schemaNFe + "imposto",
		"O item não tem a tributação do ICMS: taxes.icms", inItem(func(p *presented, item object) bool {
			return !p.ofReformAlone() && taxOf(item, "icms") == nil && taxOf(item, "issqn") == nil
		}),
	},
	{
		codePayload, bothGoods, false, schemaNFe + "ICMS",
		"A tributação do ICMS precisa de cst ou csosn, um dos dois, com um código da tabela", inItem(badICMS),
	},
	{codePayload, bothGoods, false, schemaNFe + "orig", "O ICMS precisa de origin, de 0 a 8", found("icms_origin")},
	{
		codePayload, bothGoods, false, schemaNFe + "ICMS00, ICMS20",
		"Com cst 00 ou 20 o ICMS precisa de baseTax, rate e amount", found("icms_incomplete"),
	},
	{
		codePayload, bothGoods, false, schemaNFe + "ICMS61",
		"Com cst 61 o ICMS precisa de singleStageRetAdRemRate e singleStageRetAmount", found("single_stage"),
	},
	{
		codePayload, bothGoods, false, schemaNFe + "PISNT, PISOutr, COFINSNT and their siblings",
		"PIS e COFINS precisam de um cst da tabela", found("contribution_code"),
	},
	{
		codePayload, bothGoods, false, schemaNFe + "CEST",
		"O campo cest deve ter 7 dígitos", found("cest_form"),
	},
	{
		codePayload, bothGoods, false, schemaNFe + "CST and cClassTrib of IBSCBS",
		"IBS e CBS precisam de um CST de 3 dígitos e de uma classificação de 6",
		found("ibs_cbs_code"),
	},
	{
		codePayload, bothGoods, false, schemaNFe + "pag; " + reported + "that payments are needed",
		"Forma de pagamento não informada: payments", when(func(p *presented) bool {
			return p.normal() && len(objectsOf(p.payload["payments"])) == 0
		}),
	},
	{
		codePayload, bothGoods, false, schemaNFe + "detPag",
		"O pagamento precisa de method e amount, não negativo", found("payment_incomplete"),
	},
	{
		codePayload, nfce, false, schemaNFe + "indPres",
		"Indicador de presença não informado: presenceType", found("presence_missing"),
	},
	{
		codePayload, bothGoods, false, schemaNFe + "enderDest",
		"Endereço do destinatário incompleto: receiver.address.", func(p *presented) (string, bool) {
			address := part(p.receiver, "address")
			for _, name := range neededOfAddress {
				if address != nil && (address[name] == nil || address[name] == "") {
					return name, true
				}
			}
			return "", false
		},
	},
	{
		codePayload, nfe, false, schemaNFe + "dest",
		"CPF ou CNPJ do destinatário não informado: receiver.federalTaxNumber", when(func(p *presented) bool {
			return p.receiver != nil && text(p.receiver, "federalTaxNumber") == "" && !p.abroad()
		}),
	},
	{
		codePayload, bothGoods, true, schemaNFe + "dest",
		"O campo receiver.federalTaxNumber não é CPF nem CNPJ, e o destinatário não é do exterior",
		when(func(p *presented) bool {
			number := text(p.receiver, "federalTaxNumber")
			return number != "" && !isCPF(number) && !isCNPJ(number) && !p.abroad()
		}),
	},
	// The authority would say 229.
	{
		codePayload, bothGoods, true, reported + "a company without its state registration fails when it issues",
		"Inscrição estadual do emitente não informada: stateTaxNumber da empresa", when(func(p *presented) bool {
			return text(p.company, "stateTaxNumber") == ""
		}),
	},
}

// clockTolerance is how far the clocks of an issuer and an authority may differ.
const clockTolerance = fiscal.ConsumerLateMinutes * time.Minute

// unidentifiedLimit is the amount above which the receiver of an NFC-e must be known.
var unidentifiedLimit, _ = new(big.Rat).SetString(fiscal.UnidentifiedLimit)

// goodsRules are a state's rules about the invoice as a whole.
var goodsRules = byLaw{
	{"225", true, "A nota saiu com número 0, que o schema da NF-e não aceita", when(func(p *presented) bool {
		return integer(p.settings, "nextNumber") == 0 && p.doc["_number"] == nil && integer(p.doc, "number") == 0
	})},
	{"225", false, "O número da nota (nNF) não é aceito pelo schema da NF-e", found("number_form")},
	{"225", false, "Natureza da operação (natOp) não informada: operationNature", found("nature_missing")},
	{"209", true, "IE do emitente inválida: o emitente não pode ser isento", when(func(p *presented) bool {
		return text(p.company, "stateTaxNumber") == stateTaxExempt
	})},
	{
		"464", true, "O hash do QR-Code não confere. Informe tokenId e csc (CSC) nas configurações da empresa",
		when(func(p *presented) bool {
			return text(p.settings, "tokenId") == "" || text(p.settings, "csc") == ""
		}),
	},
	{"291", true, "O certificado que assina a nota está vencido", when(func(p *presented) bool {
		return !p.certificateEnds.IsZero() && p.certificateEnds.Before(p.at)
	})},
	{"703", true, "A data e hora de emissão é posterior ao recebimento pela SEFAZ", when(func(p *presented) bool {
		return p.emission.After(p.at.Add(clockTolerance))
	})},
	{"228", true, "A data de emissão está muito atrasada: mais de 30 dias", when(func(p *presented) bool {
		return p.emission.Before(p.at.AddDate(0, 0, -fiscal.LateDays))
	})},
	{"704", true, "A NFC-e chegou com data e hora de emissão atrasada", when(func(p *presented) bool {
		return p.emission.Before(p.at.Add(-clockTolerance))
	})},
	{"207", true, "O CNPJ do emitente não é válido", when(func(p *presented) bool {
		return isWrong(p.company, isCNPJ)
	})},
	{"401", true, "O CPF do emitente não é válido", when(func(p *presented) bool { return isWrong(p.company, isCPF) })},
	{
		"337", true, "Uma pessoa física não emite NFC-e, salvo o produtor rural, nas séries 920 a 969",
		when(func(p *presented) bool {
			series, _ := strconv.Atoi(cmp.Or(text(p.doc, "series"), text(p.settings, "series")))
			rural := series >= ruralSeriesFirst && series <= ruralSeriesLast
			return p.model == modelConsumer && isCPF(text(p.company, "federalTaxNumber")) && !rural
		}),
	},
	{"225", false, "Falha no Schema XML: um texto ou uma chave de acesso não segue o leiaute", found("225")},
	{"547", false, "Dígito Verificador da Chave de Acesso da NF-e Referenciada inválido", found("547")},
	{"254", false, "NF-e complementar não possui NF referenciada", when(func(p *presented) bool {
		return p.purpose() == "complement" && len(p.references()) == 0
	})},
	{"255", false, "NF-e complementar possui mais de uma NF referenciada", when(func(p *presented) bool {
		return p.purpose() == "complement" && len(p.references()) > 1
	})},
	{"708", false, "Uma NFC-e não pode referenciar outro documento", when(func(p *presented) bool {
		return len(p.references()) > 0
	})},
	{"707", false, "Uma NFC-e não serve para operação interestadual nem com o exterior", when(func(p *presented) bool {
		return p.destination() != "internal" && p.destination() != ""
	})},
	{"706", false, "Uma NFC-e não serve para operação de entrada", when(func(p *presented) bool {
		return text(p.doc, "operationType") == "incoming"
	})},
	{"715", false, "A finalidade não é aceita em NFC-e", when(func(p *presented) bool { return !p.normal() })},
	{"716", false, "A NFC-e é somente para consumidor final", when(func(p *presented) bool {
		return p.doc["isFinalCustomer"] == false
	})},
	{"717", false, "A operação não é presencial, e uma NFC-e tem que ser", when(func(p *presented) bool {
		return !slices.Contains([]string{"", "presence", "delivery", outsidePresence}, text(p.doc, "presenceType"))
	})},
	{
		"864", false, "Uma operação fora do estabelecimento precisa referenciar um documento",
		when(func(p *presented) bool {
			return text(p.doc, "presenceType") == outsidePresence && len(p.references()) == 0
		}),
	},
	{
		"1001", false, "A nota de crédito ou de débito é somente de IBS e CBS",
		inItem(func(p *presented, item object) bool {
			for name, tax := range part(item, "taxes") {
				if tax != nil && fiscal.IsListed("other_taxes", strings.ToUpper(name)) {
					return p.ofReformAlone()
				}
			}
			return false
		}),
	},
	{"1161", false, "Uma NF-e de crédito é de entrada", when(func(p *presented) bool {
		return p.purpose() == "credit" && text(p.doc, "operationType") == "outgoing"
	})},
	{"1162", false, "Uma NF-e de débito é de saída", when(func(p *presented) bool {
		return p.purpose() == "debit" && text(p.doc, "operationType") == "incoming"
	})},
	{"1139", false, "O tipo de nota de débito não combina com a finalidade", noteType("debit", true)},
	{"1009", false, "Falta o tipo da nota de débito", noteType("debit", false)},
	{"1163", false, "O tipo de nota de crédito não combina com a finalidade", noteType("credit", true)},
	{"1164", false, "Falta o tipo da nota de crédito", noteType("credit", false)},
	{"794", false, "A entrega em domicílio é somente de NFC-e", when(func(p *presented) bool {
		return text(p.doc, "presenceType") == "delivery"
	})},
	{"719", false, "Falta a identificação do destinatário da NF-e", when(func(p *presented) bool {
		return p.receiver == nil
	})},
	{
		"787", false, "NFC-e com entrega em domicílio precisa da identificação do destinatário",
		when(func(p *presented) bool {
			return text(p.doc, "presenceType") == "delivery" && p.receiver == nil
		}),
	},
	{"724", false, "Falta o nome do destinatário da NF-e", when(func(p *presented) bool {
		return p.receiver != nil && text(p.receiver, "name") == ""
	})},
	{"788", false, "NFC-e com entrega em domicílio precisa do endereço do destinatário", when(func(p *presented) bool {
		return text(p.doc, "presenceType") == "delivery" && p.receiver != nil && part(p.receiver, "address") == nil
	})},
	{"726", false, "Falta o endereço do destinatário da NF-e", when(func(p *presented) bool {
		return p.receiver != nil && part(p.receiver, "address") == nil
	})},
	{"208", true, "O CNPJ do destinatário não é válido", when(func(p *presented) bool {
		return isWrong(p.receiver, isCNPJ)
	})},
	{"237", true, "O CPF do destinatário não é válido", when(func(p *presented) bool {
		return isWrong(p.receiver, isCPF)
	})},
	{"210", false, "A inscrição estadual do destinatário não é válida na UF dele", when(func(p *presented) bool {
		return !fiscal.StateTaxNumberFits(strings.ToUpper(state(p.receiver)), text(p.receiver, "stateTaxNumber"))
	})},
	{"790", false, "Operação com Exterior para destinatário Contribuinte de ICMS", found("790")},
	{"792", false, "Um destinatário no exterior não tem IE", found("792")},
	{"509", false, "O município de um destinatário do exterior é 9999999", found("509")},
	{"720", false, "Na operação com Exterior deve ser informada a tag idEstrangeiro", found("720")},
	{"722", false, "Operação interna com idEstrangeiro informado deve ser presencial", found("722")},
	{"805", false, "A SEFAZ do destinatário não permite Contribuinte Isento de Inscrição Estadual", found("805")},
	{"789", false, "NFC-e para destinatário contribuinte de ICMS", found("789")},
	{"926", false, "O destinatário é do exterior, e o país é o Brasil", when(func(p *presented) bool {
		country := text(part(p.receiver, "address"), "country")
		return state(p.receiver) == stateAbroad && fiscal.IsBrazil(country)
	})},
	authorizedPerson("323", "O CNPJ autorizado para download não é válido", isCNPJ, false),
	authorizedPerson("324", "O CNPJ do destinatário já está autorizado para download", isCNPJ, true),
	authorizedPerson("325", "O CPF autorizado para download não é válido", isCPF, false),
	authorizedPerson("326", "O CPF do destinatário já está autorizado para download", isCPF, true),
	{"235", false, "A inscrição na Suframa não é válida", found("235")},
	{"251", false, "O município do destinatário não pertence à Suframa", found("251")},
	{"730", false, "A NFC-e não leva inscrição na Suframa", when(func(p *presented) bool {
		return text(p.receiver, "suframaTaxNumber") != ""
	})},
	{"696", false, "Operação com não contribuinte precisa indicar consumidor final", when(func(p *presented) bool {
		return p.receiver != nil && text(p.receiver, "stateTaxNumber") == "" && p.doc["isFinalCustomer"] == false &&
			text(p.doc, "operationType") != "incoming" && !p.abroad()
	})},
	{"521", false, "Operação interna com destinatário contribuinte do ICMS em outra UF", when(func(p *presented) bool {
		return p.destination() == "internal" && p.otherState() && p.toTaxpayer() &&
			text(p.doc, "presenceType") != "presence" && p.doc["isFinalCustomer"] == false
	})},
	{"772", false, "Operação Interestadual com destinatário na UF do emitente", when(func(p *presented) bool {
		return p.destination() == "interstate" && p.sameState() && !p.toItself()
	})},
	{"773", false, "Operação Interna com destinatário em outra UF", when(func(p *presented) bool {
		return p.destination() == "internal" && p.doc["isFinalCustomer"] == false && p.otherState()
	})},
	{"750", true, "NFC-e acima de R$ 10.000,00 precisa do CPF ou CNPJ do destinatário", when(func(p *presented) bool {
		return text(p.receiver, "federalTaxNumber") == "" && !p.abroad() &&
			decimal(p.doc["amount"]).Cmp(unidentifiedLimit) > 0
	})},
}

// authorizedPerson is the rule about a number in authorizedPersons that is wrong, or that is the receiver's.
func authorizedPerson(code, words string, hasForm func(string) bool, receivers bool) lawRule {
	return lawRule{code, false, words, when(func(p *presented) bool {
		persons, _ := p.payload["authorizedPersons"].([]any)
		return slices.ContainsFunc(persons, func(person any) bool {
			number := fiscal.NormalizeTaxNumber(written(person))
			if receivers {
				return hasForm(number) && number == text(p.receiver, "federalTaxNumber")
			}
			return hasForm(number) && !validTaxNumber(number)
		})
	})}
}

// noteType is the predicate of a credit or debit note without its type, or of another invoice that has it.
func noteType(purpose string, has bool) func(*presented) (string, bool) {
	return when(func(p *presented) bool {
		return (p.purpose() == purpose) != has && (p.payload[purpose+"Type"] != nil) == has
	})
}

// outsidePresence is a sale outside the establishment, which has no word in the interface.
const outsidePresence = "5"

// ofReformAlone reports whether the document is of IBS and CBS alone.
func (p *presented) ofReformAlone() bool {
	return slices.Contains([]string{"credit", "debit"}, p.purpose()) || text(p.doc, "govOperationType") == "receipt"
}

// destination is the one in the payload. If there is none, the service is assumed to find it out.
func (p *presented) destination() string { return text(p.doc, "destination") }

// references are the documents that the invoice as a whole names.
func (p *presented) references() []any {
	list, _ := p.payload["referencedDocuments"].([]any)
	return list
}

// sameState and otherState report whether the goods stay in the issuer's state; neither holds if that is unknown. A
// place of delivery counts before the receiver's address. A place of pickup in another state makes it unknown.
func (p *presented) sameState() bool {
	return state(p.company) != "" && state(p.company) == p.goodsState()
}

func (p *presented) otherState() bool {
	return state(p.company) != "" && p.goodsState() != "" && state(p.company) != p.goodsState()
}

func (p *presented) goodsState() string {
	if pickup := state(part(p.doc, "pickup")); pickup != "" && pickup != state(p.company) {
		return ""
	}
	return cmp.Or(state(part(p.doc, "delivery")), state(p.receiver))
}

// toItself reports whether the issuer is the receiver too.
func (p *presented) toItself() bool {
	return text(p.company, "federalTaxNumber") == text(p.receiver, "federalTaxNumber")
}

// toTaxpayer reports whether the receiver has a state registration.
func (p *presented) toTaxpayer() bool {
	return !slices.Contains([]string{"", stateTaxExempt}, text(p.receiver, "stateTaxNumber"))
}

// abroad reports whether the receiver is in another country.
func (p *presented) abroad() bool {
	return p.destination() == "international" || state(p.receiver) == stateAbroad
}

// isWrong reports whether a party's tax number has the form of a CPF or CNPJ, but wrong check digits.
func isWrong(party object, hasForm func(string) bool) bool {
	number := text(party, "federalTaxNumber")
	return hasForm(number) && !validTaxNumber(number)
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

// badICMS reports whether the ICMS of an item has not exactly one situation code of the tables.
func badICMS(_ *presented, item object) bool {
	icms := taxOf(item, "icms")
	if icms == nil {
		return false
	}
	cst, csosn := written(icms["cst"]), written(icms["csosn"])
	switch {
	case (cst == "") == (csosn == ""):
		return true
	case cst != "":
		return !fiscal.IsListed("icms", cst)
	default:
		return !fiscal.IsListed("simples", csosn)
	}
}
