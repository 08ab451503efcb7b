package sandbox

import (
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// itemRules are a state's rules about an item.
var itemRules = byLaw{
	{"777", false, "Falta o NCM completo", inItem(func(_ *presented, item object) bool {
		ncm := text(item, "ncm")
		return len(ncm) == 2 && ncm != "00"
	})},
	{"471", false, "O NCM=00 é somente de serviços e ajustes", inItem(func(p *presented, item object) bool {
		sold := slices.Contains([]string{"normal", purposeReturn}, p.purpose())
		return text(item, "ncm") == "00" && sold && taxOf(item, "icms") != nil
	})},
	// The sandbox knows only the chapters of the table of NCM.
	{"778", false, "NCM inexistente", inItem(func(p *presented, item object) bool {
		ncm := text(item, "ncm")
		exported := p.destination() == "international" && text(p.doc, "operationType") != "incoming"
		return len(ncm) == 8 && ncm != "00000000" && !fiscal.HasNCMChapter(ncm, exported)
	})},
	{"611", false, "O GTIN (cEAN) não é válido", found("611")},
	{"883", false, "O GTIN (cEAN) está vazio", found("883")},
	{"518", false, "CFOP de entrada em nota de saída", inItem(func(p *presented, item object) bool {
		return text(p.doc, "operationType") == "outgoing" && cfopBegins(item, "123")
	})},
	{"519", false, "CFOP de saída em nota de entrada", inItem(func(p *presented, item object) bool {
		return text(p.doc, "operationType") == "incoming" && cfopBegins(item, "567")
	})},
	{
		"731", false, "CFOP de operação com o Exterior em operação de outro destino (idDest <> 3)",
		destinedTo("international", "37"),
	},
	{"732", false, "CFOP interestadual em operação de outro destino (idDest <> 2)", destinedTo("interstate", "26")},
	{
		"733", false, "CFOP de operação interna em operação de outro destino (idDest <> 1)",
		destinedTo("internal", "15"),
	},
	{
		"520", false, "CFOP de operação com o exterior, e a UF do destinatário não é EX",
		inItem(func(p *presented, item object) bool {
			return cfopBegins(item, "37") && state(p.receiver) != "" && state(p.receiver) != stateAbroad
		}),
	},
	{
		"523", false, "O CFOP não é de operação Estadual, e emitente e destinatário são da mesma UF",
		inItem(func(p *presented, item object) bool {
			// If the destination says so too, the code is 772.
			return cfopBegins(item, "26") && p.sameState() && !p.toItself() && p.destination() != "interstate"
		}),
	},
	{"327", false, "O CFOP não é de devolução, e a finalidade é", inItem(func(p *presented, item object) bool {
		return p.purpose() == purposeReturn && fiscal.IsTradeCFOP(written(item["cfop"]))
	})},
	{"328", false, "O CFOP é de devolução, e a finalidade não é", inItem(func(p *presented, item object) bool {
		return p.normal() && fiscal.IsReturnCFOP(written(item["cfop"]))
	})},
	{"725", false, "O CFOP não é aceito em NFC-e", inItem(func(_ *presented, item object) bool {
		return !fiscal.IsListed("consumer_cfops", written(item["cfop"]))
	})},
	{"766", false, "O CST não é de NFC-e", inItem(func(_ *presented, item object) bool {
		return notOfConsumers(item, "cst")
	})},
	{"383", false, "O CSOSN não é de NFC-e", inItem(func(_ *presented, item object) bool {
		return notOfConsumers(item, "csosn")
	})},
	{"382", false, "O CFOP não combina com o CST da NFC-e", inItem(func(_ *presented, item object) bool {
		return !fiscal.ConsumerCFOPFits(written(item["cfop"]), written(taxOf(item, "icms")["cst"]))
	})},
	{"386", false, "O CFOP não combina com o CSOSN da NFC-e", inItem(func(_ *presented, item object) bool {
		return !fiscal.ConsumerCFOPFits(written(item["cfop"]), written(taxOf(item, "icms")["csosn"]))
	})},
	{"483", false, "O desconto é maior que o valor do produto", inItem(func(_ *presented, item object) bool {
		return decimal(item["discountAmount"]).Cmp(decimal(item["totalAmount"])) > 0
	})},
	refusedOfReceiver("508", "O CST não combina com um destinatário não contribuinte"),
	refusedOfReceiver("529", "O CST não combina com um destinatário isento de inscrição estadual"),
	refusedOfReceiver("600", "O CSOSN não combina com um destinatário não contribuinte"),
	{"701", false, "O CFOP precisa de um documento referenciado", inItem(func(p *presented, item object) bool {
		return fiscal.IsListed("receipt_cfops", written(item["cfop"])) && len(p.references()) == 0
	})},
	{"374", false, "O CFOP não combina com o grupo de tributação", inItem(func(_ *presented, item object) bool {
		return (written(item["cfop"]) == fiscal.ServiceCFOP) != (taxOf(item, "issqn") != nil)
	})},
	{"742", false, "A NFC-e não leva o grupo do IPI", inItem(func(_ *presented, item object) bool {
		return taxOf(item, "ipi") != nil
	})},
	{"774", false, "Na NFC-e todo item entra no total", inItem(func(_ *presented, item object) bool {
		return item["makeupTotal"] == false
	})},
	{
		"590", false, "CST de emissor do Simples Nacional, que informa CSOSN (CRT=1 ou 4)",
		inItem(func(p *presented, item object) bool {
			simples, known := p.isSimples()
			cst := written(taxOf(item, "icms")["cst"])
			return known && simples && cst != "" && !fiscal.IsListed("single_stage", cst)
		}),
	},
	{
		"591", false, "CSOSN de emissor que não é do Simples Nacional (CRT diferente de 1 e 4)",
		inItem(func(p *presented, item object) bool {
			simples, known := p.isSimples()
			return known && !simples && written(taxOf(item, "icms")["csosn"]) != ""
		}),
	},
	{"745", false, "Falta o grupo do PIS", inItem(func(p *presented, item object) bool {
		return taxOf(item, "pis") == nil && !p.ofReformAlone()
	})},
	{"748", false, "Falta o grupo da COFINS", inItem(func(p *presented, item object) bool {
		return taxOf(item, "cofins") == nil && !p.ofReformAlone()
	})},
	{"806", false, "Operação com ICMS-ST sem informação do CEST", found("806")},
	{"527", false, "Operação de Exportação com informação de ICMS incompatível", found("527")},
	{"1020", false, "O CST do IBS e da CBS não existe", found("1020")},
	{"1021", false, "O grupo do IBS e da CBS foi informado indevidamente para o CST", found("1021")},
	{"1024", false, "A classificação tributária do IBS e da CBS não combina com o CST", found("1024")},
	{"1033", false, "O CST exige redução de alíquota, que não foi informada", found("1033")},
	{"1115", false, "O item não informa IBS nem CBS", inItem(owesReform)},
	{
		"629", false, "O valor do produto não é o Valor Unitário vezes a Quantidade Comercial",
		inItem(productOf("unitAmount", "quantity")),
	},
	{
		"630", false, "O valor do produto não é o Valor Unitário vezes a Quantidade Tributável",
		inItem(productOf("unitTaxAmount", "quantityTax")),
	},
	{"528", false, "O valor do ICMS não é a BC vezes a Alíquota", found("528")},
	{"693", false, "A alíquota do ICMS passa da interestadual", inItem(func(p *presented, item object) bool {
		limit := fiscal.InterstateRate(strings.ToUpper(state(p.company)), strings.ToUpper(state(p.receiver)))
		icms := taxOf(item, "icms")
		rated := p.normal() && p.destination() == "interstate" &&
			fiscal.IsRatedInterstate(written(item["cfop"]), text(item, "ncm")) &&
			fiscal.IsListed("interstate", written(icms["cst"])) &&
			!fiscal.IsListed("imported_origins", written(icms["origin"])) // Their rule, 663, is up to each state.
		elsewhere := part(p.doc, "delivery") != nil || part(p.doc, "pickup") != nil
		return rated && !elsewhere && decimal(icms["rate"]).Cmp(big.NewRat(limit, 1)) > 0
	})},
	{"1026", false, "A alíquota do IBS da UF não é a do CST ou a de 2026", found("1026")},
	{"1036", false, "A alíquota do IBS do município não é a de 2026", found("1036")},
	{"1037", false, "A alíquota da CBS não é a de 2026", found("1037")},
	{"1041", false, "O valor do IBS da UF não é a BC vezes a alíquota", found("1041")},
	{"1052", false, "O valor do IBS do município não é a BC vezes a alíquota", found("1052")},
	{"1069", false, "O valor da CBS não é a BC vezes a alíquota", found("1069")},
}

// refusedOfReceiver is the rule about a situation code that does not go with the receiver's state registration.
func refusedOfReceiver(code, words string) lawRule {
	return lawRule{code, false, words, inItem(func(p *presented, item object) bool {
		icms, registration := taxOf(item, "icms"), text(p.receiver, "stateTaxNumber")
		situation := cmp.Or(written(icms["cst"]), written(icms["csosn"]))
		return p.normal() && p.receiver != nil && !p.abroad() &&
			fiscal.RefusedOfReceiver(registration, written(item["cfop"]), situation) == code
	})}
}

// totalRules are a state's rules about the sums.
var totalRules = byLaw{
	{"531", false, "O total da BC ICMS não é a soma dos itens", found("531")},
	{"532", false, "O Total do ICMS não é a soma dos itens", found("532")},
	{"533", false, "O total da BC ICMS-ST não é a soma dos itens", found("533")},
	{"534", false, "O total do ICMS-ST não é a soma dos itens", found("534")},
	{"564", false, "O total dos Produtos não é a soma dos itens", found("564")},
	{"535", false, "O total do Frete não é a soma dos itens", found("535")},
	{"536", false, "O total do Seguro não é a soma dos itens", found("536")},
	{"537", false, "O total do Desconto não é a soma dos itens", found("537")},
	{"538", false, "O total do IPI não é a soma dos itens", found("538")},
	{"602", false, "O total do PIS não é a soma dos itens", found("602")},
	{"603", false, "O total da COFINS não é a soma dos itens", found("603")},
	{"604", false, "O total do vOutro não é a soma dos itens", found("604")},
	{"610", false, "O valor Total da nota não é a soma dos valores que o compõem", when(func(p *presented) bool {
		total := part(p.payload, "total")
		composed, known := fiscal.ComposedTotal(p.payload, p.day())
		if !known || !p.normal() || total["invoiceAmount"] == nil {
			return false
		}
		difference := new(big.Rat).Sub(decimal(total["invoiceAmount"]), composed)
		return difference.Abs(difference).Cmp(totalTolerance) > 0
	})},
	{"871", false, "O meio de pagamento deve ser Sem Pagamento (90)", when(func(p *presented) bool {
		isPaid := func(payment object) bool { return !slices.Contains(unpaid, written(payment["method"])) }
		return slices.Contains([]string{purposeReturn, "adjustment"}, p.purpose()) &&
			slices.ContainsFunc(objectsOf(p.payload["payments"]), isPaid)
	})},
	{"899", false, "O meio de pagamento não é aceito em NFC-e", inPayment(func(payment object) bool {
		return slices.Contains(unpaid, written(payment["method"]))
	})},
	{"904", false, "Sem pagamento não há valor de pagamento", inPayment(func(payment object) bool {
		return isUnpaid(payment) && decimal(payment["amount"]).Sign() != 0
	})},
	{"391", false, "Não informados os dados do cartão de crédito ou débito no pagamento", found("391")},
	{"902", false, "O valor líquido da fatura não é o original menos o desconto", found("902")},
	{"851", false, "A soma das parcelas não é o valor líquido da fatura", found("851")},
	{"852", false, "O número da parcela não é válido", found("852")},
	{"853", false, "Dados de cobrança não devem ser informados para pagamento à vista", found("853")},
	{"900", false, "O vencimento da parcela é anterior à emissão", found("900")},
	{"441", false, "O meio de pagamento 99 (outros) precisa de uma descrição", inPayment(func(payment object) bool {
		// The name of the description is not documented: any other field counts as one.
		return slices.Contains([]string{"other", fiscal.OtherMethod}, written(payment["method"])) && len(payment) < 3
	})},
	{"865", false, "O total dos pagamentos é menor que o total da nota", when(func(p *presented) bool {
		surplus, _ := p.surplus()
		return surplus.Sign() < 0 && !near(surplus, new(big.Rat))
	})},
	{"866", false, "Os pagamentos passam do total da nota, e falta o troco", when(func(p *presented) bool {
		surplus, change := p.surplus()
		return change == nil && surplus.Sign() > 0 && !near(surplus, new(big.Rat))
	})},
	{"869", false, "O valor do troco não confere", when(func(p *presented) bool {
		surplus, change := p.surplus()
		return change != nil && surplus.Sign() >= 0 && !near(surplus, change)
	})},
}

// unpaid are the code and the word of the method for invoices without payment.
var unpaid = []string{fiscal.UnpaidMethod, fiscal.NoPayment}

// isUnpaid reports whether nothing is paid now.
func isUnpaid(payment object) bool {
	return slices.Contains(append([]string{fiscal.LaterMethod}, unpaid...), written(payment["method"]))
}

// totalTolerance is how far the total of an invoice may be from the sum of its parts.
var totalTolerance, _ = new(big.Rat).SetString(fiscal.TotalTolerance)

// notOfConsumers reports whether a situation code of an item is none of an NFC-e.
func notOfConsumers(item object, name string) bool {
	code := written(taxOf(item, "icms")[name])
	return code != "" && !fiscal.IsListed("consumer_codes", code)
}

// owesReform reports whether an item of the normal regime lacks IBS and CBS, which the service does not add either.
func owesReform(p *presented, item object) bool {
	icms := taxOf(item, "icms")
	exempt := fiscal.IsListed("single_stage", written(icms["cst"])) || p.refersToBefore("26") || p.reformAdded
	return text(p.company, "taxRegime") == "regimeNormal" && icms["cst"] != nil && !exempt && !tellsReform(item) &&
		slices.Contains([]string{"normal", "complement", purposeReturn}, p.purpose())
}

// tellsReform reports whether a field of an item, at any depth, has IBS or CBS in its name.
func tellsReform(v any) bool {
	group, _ := v.(object)
	for name, value := range group {
		name = strings.ToLower(name)
		if strings.Contains(name, "ibs") || strings.Contains(name, "cbs") || tellsReform(value) {
			return true
		}
	}
	return false
}

// refersToBefore reports whether the payload names an access key of a year before one, such as "26".
func (p *presented) refersToBefore(year string) bool {
	text, _ := json.Marshal(p.payload)
	for _, word := range strings.Split(string(text), `"`) {
		if keyShape.MatchString(word) && word[2:4] < year {
			return true
		}
	}
	return false
}

// isChange reports whether a field is the change that is given back. Its name is not documented: any name with
// "change" in it counts.
func isChange(name string) bool { return strings.Contains(strings.ToLower(name), "change") }

// surplus is how much more is paid than the invoice amounts to, 0 where nothing has to be paid, and the change, nil
// where none is named.
func (p *presented) surplus() (surplus, change *big.Rat) {
	if !p.normal() {
		return new(big.Rat), nil
	}
	surplus = new(big.Rat).Neg(decimal(p.doc["amount"]))
	for _, payment := range objectsOf(p.payload["payments"]) {
		if isUnpaid(payment) {
			return new(big.Rat), nil
		}
		surplus.Add(surplus, decimal(payment["amount"]))
	}
	for name, value := range p.payload {
		if isChange(name) && value != nil {
			change = decimal(value)
		}
	}
	return surplus, change
}

// destinedTo is the predicate of a CFOP that begins as those of one destination do, on an invoice for another one.
func destinedTo(destination, digits string) func(*presented) (string, bool) {
	return inItem(func(p *presented, item object) bool {
		return cfopBegins(item, digits) && p.destination() != "" && p.destination() != destination
	})
}

// productOf is the predicate of an amount that is not the product of two others, in a sale.
func productOf(unit, quantity string) func(p *presented, item object) bool {
	return func(p *presented, item object) bool {
		product := new(big.Rat).Mul(decimal(item[unit]), decimal(item[quantity]))
		return p.normal() && !near(decimal(item["totalAmount"]), product)
	}
}

func cfopBegins(item object, digits string) bool {
	cfop := written(item["cfop"])
	return cfop != "" && strings.Contains(digits, cfop[:1])
}
