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
	{"611", false, "O GTIN (cEAN) não é válido", inItem(func(_ *presented, item object) bool {
		gtin := text(item, "gtinCode")
		return gtin != "" && gtin != noGTIN && !validGTIN(gtin)
	})},
	{"883", false, "O GTIN (cEAN) está vazio", inItem(func(p *presented, item object) bool {
		return item["gtinCode"] == "" && text(p.company, "taxRegime") != fiscal.RegimeMEI
	})},
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
		return !slices.Contains(fiscal.ConsumerCFOPs, written(item["cfop"]))
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
		return fiscal.IsReceiptCFOP(written(item["cfop"])) && len(p.references()) == 0
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
			return known && simples && cst != "" && !slices.Contains(fiscal.SingleStageCodes, cst)
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
	{
		"1024", false, "A classificação tributária do IBS e da CBS não combina com o CST",
		inItem(func(_ *presented, item object) bool {
			cst, class := reformCodes(taxOf(item, "ibsCbs"))
			return cst != "" && class != "" && !strings.HasPrefix(class, cst)
		}),
	},
	{"1115", false, "O item não informa IBS nem CBS", inItem(owesReform)},
	{
		"629", false, "O valor do produto não é o Valor Unitário vezes a Quantidade Comercial",
		inItem(productOf("unitAmount", "quantity")),
	},
	{
		"630", false, "O valor do produto não é o Valor Unitário vezes a Quantidade Tributável",
		inItem(productOf("unitTaxAmount", "quantityTax")),
	},
	{"528", false, "O valor do ICMS não é a BC vezes a Alíquota", inItem(func(p *presented, item object) bool {
		icms := taxOf(item, "icms")
		if !p.normal() || !slices.Contains(fiscal.RatedCodes, written(icms["cst"])) {
			return false
		}
		return !isProduct(icms["amount"], icms["baseTax"], icms["rate"])
	})},
	{"693", false, "A alíquota do ICMS passa da interestadual", inItem(func(p *presented, item object) bool {
		limit := fiscal.InterstateRate(strings.ToUpper(state(p.company)), strings.ToUpper(state(p.receiver)))
		icms := taxOf(item, "icms")
		rated := p.normal() && p.destination() == "interstate" &&
			fiscal.IsRatedInterstate(written(item["cfop"]), text(item, "ncm")) &&
			slices.Contains(fiscal.InterstateCodes, written(icms["cst"])) &&
			!slices.Contains(fiscal.ImportedOrigins, written(icms["origin"])) // Their rule, 663, is up to each state.
		elsewhere := part(p.doc, "delivery") != nil || part(p.doc, "pickup") != nil
		return rated && !elsewhere && decimal(icms["rate"]).Cmp(big.NewRat(limit, 1)) > 0
	})},
	reformRate(0, "A alíquota do IBS da UF não é a de 2026"),
	reformRate(1, "A alíquota do IBS do município não é a de 2026"),
	reformRate(2, "A alíquota da CBS não é a de 2026"),
	reformAmount(0, "O valor do IBS da UF não é a BC vezes a alíquota"),
	reformAmount(1, "O valor do IBS do município não é a BC vezes a alíquota"),
	reformAmount(2, "O valor da CBS não é a BC vezes a alíquota"),
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

// reformNames begin the names of the rates and amounts of [fiscal.ReformTaxes]. plainReformFields are all fields of a
// group in which nothing is reduced or deferred. The names come from the examples: they are not documented.
var (
	reformNames       = [...]string{"ibsState", "ibsCity", "cbs"}
	plainReformFields = []string{
		"cst", "classification", "cClassTrib", "baseTax", "ibsStateRate", "ibsStateAmount", "ibsCityRate",
		"ibsCityAmount", "ibsAmount", "cbsRate", "cbsAmount",
	}
)

// plainReform is the group of IBS and CBS of an item, nil where something in it may reduce or defer them.
func plainReform(item object) object {
	group := taxOf(item, "ibsCbs")
	for field, value := range group {
		if value != nil && !slices.Contains(plainReformFields, field) {
			return nil
		}
	}
	return group
}

// reformRate is the rule about a rate of IBS or CBS. It may be 0 where the classification or a zone has none.
func reformRate(i int, words string) lawRule {
	tax := fiscal.ReformTaxes[i]
	return lawRule{tax.WrongRate, false, words, inItem(func(p *presented, item object) bool {
		rate, legal := decimal(plainReform(item)[reformNames[i]+"Rate"]), decimal(tax.Rate)
		fraction := new(big.Rat).Quo(legal, big.NewRat(100, 1))
		exempt := !slices.Contains([]string{"normal", "complement"}, p.purpose())
		return !exempt && rate.Sign() != 0 && rate.Cmp(legal) != 0 && rate.Cmp(fraction) != 0
	})}
}

// reformAmount is the rule about an amount of IBS or CBS.
func reformAmount(i int, words string) lawRule {
	return lawRule{fiscal.ReformTaxes[i].WrongAmount, false, words, inItem(func(_ *presented, item object) bool {
		group := plainReform(item)
		base, rate, amount := group["baseTax"], group[reformNames[i]+"Rate"], group[reformNames[i]+"Amount"]
		return base != nil && rate != nil && amount != nil && !isProduct(amount, base, rate)
	})}
}

// isProduct reports whether an amount is its base times its rate, which is reported as a percentage and as a fraction.
func isProduct(amount, base, rate any) bool {
	fraction := new(big.Rat).Mul(decimal(base), decimal(rate))
	return near(decimal(amount), fraction) || near(decimal(amount), new(big.Rat).Quo(fraction, big.NewRat(100, 1)))
}

// totalRules are a state's rules about the sums.
var totalRules = byLaw{
	{
		"531", false, "O total da BC ICMS não é a soma dos itens",
		differs("icmsBaseTax", taxed("icms", "baseTax", fiscal.AmountlessICMS)),
	},
	{"532", false, "O Total do ICMS não é a soma dos itens", differs("icmsAmount", func(item object) *big.Rat {
		if slices.Contains(fiscal.UntaxedCodes, written(taxOf(item, "icms")["cst"])) {
			return new(big.Rat)
		}
		return taxed("icms", "amount", fiscal.AmountlessICMS)(item)
	})},
	{"564", false, "O total dos Produtos não é a soma dos itens", differs("productAmount", func(item object) *big.Rat {
		if taxOf(item, "issqn") != nil { // A service counts in another total.
			return new(big.Rat)
		}
		return countedAmount(item)
	})},
	{
		"535", false, "O total do Frete não é a soma dos itens",
		differs("freightAmount", func(item object) *big.Rat { return decimal(item["freightAmount"]) }),
	},
	{
		"537", false, "O total do Desconto não é a soma dos itens",
		differs("discountAmount", func(item object) *big.Rat { return decimal(item["discountAmount"]) }),
	},
	{
		"602", false, "O total do PIS não é a soma dos itens",
		differs("pisAmount", taxed("pis", "amount", fiscal.AmountlessContributions)),
	},
	{
		"603", false, "O total da COFINS não é a soma dos itens",
		differs("cofinsAmount", taxed("cofins", "amount", fiscal.AmountlessContributions)),
	},
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
		isPaid := func(payment object) bool { return written(payment["method"]) != unpaid }
		return slices.Contains([]string{purposeReturn, "adjustment"}, p.purpose()) &&
			slices.ContainsFunc(objectsOf(p.payload["payments"]), isPaid)
	})},
	{"899", false, "O meio de pagamento não é aceito em NFC-e", inPayment(func(payment object) bool {
		return written(payment["method"]) == unpaid
	})},
	{"904", false, "Sem pagamento não há valor de pagamento", inPayment(func(payment object) bool {
		return isUnpaid(payment) && decimal(payment["amount"]).Sign() != 0
	})},
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

// taxed returns a reader of a field of an item's tax. The result is nil if the item lacks the field although its code
// has one (the service is assumed to calculate it), and if the item has it although its code has none.
func taxed(tax, field string, amountless []string) func(item object) *big.Rat {
	return func(item object) *big.Rat {
		group := taxOf(item, tax)
		without := slices.Contains(amountless, cmp.Or(written(group["cst"]), written(group["csosn"])))
		switch {
		case taxOf(item, "issqn") != nil:
			return new(big.Rat)
		case without != (group[field] == nil):
			return nil
		}
		return decimal(group[field])
	}
}

// unpaid is the code of the method for invoices without payment, which has no name in the interface.
const unpaid = fiscal.UnpaidMethod

// isUnpaid reports whether nothing is paid now.
func isUnpaid(payment object) bool {
	return slices.Contains([]string{unpaid, fiscal.LaterMethod}, written(payment["method"]))
}

// totalTolerance is how far the total of an invoice may be from the sum of its parts.
var totalTolerance, _ = new(big.Rat).SetString(fiscal.TotalTolerance)

// notOfConsumers reports whether a situation code of an item is none of an NFC-e.
func notOfConsumers(item object, name string) bool {
	code := written(taxOf(item, "icms")[name])
	return code != "" && !slices.Contains(fiscal.ConsumerCodes, code)
}

// reformCodes are the CST and the classification of IBS and CBS, whose names are not shown.
func reformCodes(group object) (cst, class string) {
	return written(group["cst"]), cmp.Or(written(group["classification"]), written(group["cClassTrib"]))
}

// owesReform reports whether an item of the normal regime lacks IBS and CBS, which the service does not add either.
func owesReform(p *presented, item object) bool {
	icms := taxOf(item, "icms")
	exempt := slices.Contains(fiscal.SingleStageCodes, written(icms["cst"])) || p.refersToBefore("26") || p.reformAdded
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

// countedAmount is what an item adds to the total of the products.
func countedAmount(item object) *big.Rat {
	if item["makeupTotal"] == false {
		return new(big.Rat)
	}
	return decimal(item["totalAmount"])
}

// differs is the predicate of a total that is not the sum over the items. The service fills in one that is not sent.
func differs(name string, of func(item object) *big.Rat) func(*presented) (string, bool) {
	return when(func(p *presented) bool {
		total := part(p.payload, "total")
		if total[name] == nil {
			return false
		}
		sum := new(big.Rat)
		for _, item := range p.items {
			amount := of(item)
			if amount == nil {
				return false
			}
			sum.Add(sum, amount)
		}
		return !near(decimal(total[name]), sum)
	})
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
