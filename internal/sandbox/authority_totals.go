package sandbox

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// itemRules are what a state finds in an item.
var itemRules = []rule{
	{"777", bothGoods, false, moc + "I05-10", "Falta o NCM completo", inItem(func(_ *presented, item object) bool {
		ncm := text(item, "ncm")
		return len(ncm) == 2 && ncm != "00"
	})},
	{"471", bothGoods, false, moc + "I05-24", "O NCM=00 é somente de serviços e ajustes", inItem(func(p *presented, item object) bool {
		return text(item, "ncm") == "00" && text(p.doc, "purposeType") != "adjustment" && part(part(item, "taxes"), "issqn") == nil
	})},
	// Of the table of NCM the sandbox knows the chapters alone.
	{"778", bothGoods, false, moc + "I05-20", "NCM inexistente", inItem(func(_ *presented, item object) bool {
		ncm := text(item, "ncm")
		return len(ncm) == 8 && ncm != "00000000" && (ncm[:2] == "00" || ncm[:2] == "77" || ncm[:2] > "97")
	})},
	{"611", bothGoods, false, moc + "I03-10", "O GTIN (cEAN) não é válido", inItem(func(_ *presented, item object) bool {
		gtin := text(item, "gtinCode")
		return gtin != "" && gtin != noGTIN && !validGTIN(gtin)
	})},
	{"518", nfe, false, moc + "I08-10", "CFOP de entrada em nota de saída", inItem(func(p *presented, item object) bool {
		return text(p.doc, "operationType") == "outgoing" && cfopBegins(item, "123")
	})},
	{"519", nfe, false, moc + "I08-20", "CFOP de saída em nota de entrada", inItem(func(p *presented, item object) bool {
		return text(p.doc, "operationType") == "incoming" && cfopBegins(item, "567")
	})},
	{"731", nfe, false, moc + "I08-30", "CFOP de operação com o Exterior em operação de outro destino (idDest <> 3)", destinedTo("international", "37")},
	{"732", nfe, false, moc + "I08-40", "CFOP interestadual em operação de outro destino (idDest <> 2)", destinedTo("interstate", "26")},
	{"733", nfe, false, moc + "I08-50", "CFOP de operação interna em operação de outro destino (idDest <> 1)", destinedTo("internal", "15")},
	{"520", nfe, false, moc + "I08-60", "CFOP de operação com o exterior, e a UF do destinatário não é EX", inItem(func(p *presented, item object) bool {
		return cfopBegins(item, "37") && state(p.receiver) != "" && state(p.receiver) != stateAbroad
	})},
	{"523", nfe, false, moc + "I08-90", "O CFOP não é de operação Estadual, e emitente e destinatário são da mesma UF", inItem(func(p *presented, item object) bool {
		// Where the destination says so too, that is 772.
		return cfopBegins(item, "26") && p.sameState() && !p.toItself() && p.destination() != "interstate"
	})},
	{"725", nfce, false, moc + "I08-150", "O CFOP não é aceito em NFC-e", inItem(func(_ *presented, item object) bool {
		return !slices.Contains(consumerCFOPs, written(item["cfop"]))
	})},
	{"483", bothGoods, false, moc + "I17-10", "O desconto é maior que o valor do produto", inItem(func(_ *presented, item object) bool {
		return decimal(item["discountAmount"]).Cmp(decimal(item["totalAmount"])) > 0
	})},
	{"742", nfce, false, moc + "O01-10", "A NFC-e não leva o grupo do IPI", inItem(func(_ *presented, item object) bool { return part(part(item, "taxes"), "ipi") != nil })},
	{"774", nfce, false, moc + "I17b-10", "Na NFC-e todo item entra no total", inItem(func(_ *presented, item object) bool { return item["makeupTotal"] == false })},
	{"590", bothGoods, false, moc + "N12-20", "CST de emissor do Simples Nacional, que informa CSOSN (CRT=1 ou 4)", inItem(func(p *presented, item object) bool {
		simples, known := p.isSimples()
		return known && simples && written(part(part(item, "taxes"), "icms")["cst"]) != ""
	})},
	{"591", bothGoods, false, moc + "N12a-10", "CSOSN de emissor que não é do Simples Nacional (CRT diferente de 1 e 4)", inItem(func(p *presented, item object) bool {
		simples, known := p.isSimples()
		return known && !simples && written(part(part(item, "taxes"), "icms")["csosn"]) != ""
	})},
	{"745", nfe, false, moc + "Q01-20", "Falta o grupo do PIS", inItem(func(_ *presented, item object) bool { return part(part(item, "taxes"), "pis") == nil })},
	{"748", nfe, false, moc + "S01-20", "Falta o grupo da COFINS", inItem(func(_ *presented, item object) bool { return part(part(item, "taxes"), "cofins") == nil })},
	{"629", bothGoods, false, moc + "I11-10", "O valor do produto não é o Valor Unitário vezes a Quantidade Comercial", inItem(productOf("unitAmount", "quantity"))},
	{"630", bothGoods, false, moc + "I11-20", "O valor do produto não é o Valor Unitário vezes a Quantidade Tributável", inItem(productOf("unitTaxAmount", "quantityTax"))},
	{"528", bothGoods, false, moc + "of group N for N17, NT 2011/005", "O valor do ICMS não é a BC vezes a Alíquota", inItem(func(p *presented, item object) bool {
		icms := part(part(item, "taxes"), "icms")
		if !p.normal() || !slices.Contains([]string{"00", "10", "20", "70"}, written(icms["cst"])) {
			return false
		}
		// The rate is reported as a percentage and as a fraction.
		fraction := new(big.Rat).Mul(decimal(icms["baseTax"]), decimal(icms["rate"]))
		return !near(decimal(icms["amount"]), fraction) && !near(decimal(icms["amount"]), new(big.Rat).Quo(fraction, big.NewRat(100, 1)))
	})},
}

// totalRules are what a state finds in the sums.
var totalRules = []rule{
	{"531", bothGoods, false, moc + "W03-10", "O total da BC ICMS não é a soma dos itens", differs("icmsBaseTax", func(item object) *big.Rat { return decimal(part(part(item, "taxes"), "icms")["baseTax"]) })},
	{"532", bothGoods, false, moc + "W04-10", "O Total do ICMS não é a soma dos itens", differs("icmsAmount", func(item object) *big.Rat { return decimal(part(part(item, "taxes"), "icms")["amount"]) })},
	{"564", bothGoods, false, moc + "W07-10", "O total dos Produtos não é a soma dos itens", differs("productAmount", countedAmount)},
	{"535", bothGoods, false, moc + "W08-10", "O total do Frete não é a soma dos itens", differs("freightAmount", func(item object) *big.Rat { return decimal(item["freightAmount"]) })},
	{"537", bothGoods, false, moc + "W10-10", "O total do Desconto não é a soma dos itens", differs("discountAmount", func(item object) *big.Rat { return decimal(item["discountAmount"]) })},
	{"610", bothGoods, false, moc + "W16-10", "O valor Total da nota não é a soma dos valores que o compõem", when(func(p *presented) bool {
		total := part(p.payload, "total")
		composed, known := p.composedTotal()
		return total["invoiceAmount"] != nil && known && !near(decimal(total["invoiceAmount"]), composed)
	})},
	{"871", nfe, false, moc + "YA02-04", "O meio de pagamento deve ser Sem Pagamento (90)", when(func(p *presented) bool {
		return slices.Contains([]string{purposeReturn, "adjustment"}, text(p.doc, "purposeType")) &&
			slices.ContainsFunc(objectsOf(p.payload["payments"]), func(payment object) bool { return written(payment["method"]) != unpaid })
	})},
	{"899", nfce, false, moc + "YA02-40", "O meio de pagamento não é aceito em NFC-e", when(func(p *presented) bool {
		return slices.ContainsFunc(objectsOf(p.payload["payments"]), func(payment object) bool { return written(payment["method"]) == unpaid })
	})},
	{"904", nfe, false, moc + "YA03-30", "Sem pagamento não há valor de pagamento", when(func(p *presented) bool {
		return slices.ContainsFunc(objectsOf(p.payload["payments"]), func(payment object) bool {
			return written(payment["method"]) == unpaid && decimal(payment["amount"]).Sign() != 0
		})
	})},
	{"865", nfce, false, moc + "YA03-10", "O total dos pagamentos é menor que o total da nota", when(func(p *presented) bool {
		paid, _, judged := p.payments()
		return judged && paid.Cmp(decimal(p.doc["amount"])) < 0 && !near(paid, decimal(p.doc["amount"]))
	})},
	{"866", bothGoods, false, moc + "YA03-20", "Os pagamentos passam do total da nota, e falta o troco", when(func(p *presented) bool {
		paid, change, judged := p.payments()
		return judged && change == nil && paid.Cmp(decimal(p.doc["amount"])) > 0 && !near(paid, decimal(p.doc["amount"]))
	})},
	{"869", bothGoods, false, moc + "YA09-10", "O valor do troco não confere", when(func(p *presented) bool {
		paid, change, judged := p.payments()
		return judged && change != nil && paid.Cmp(decimal(p.doc["amount"])) >= 0 && !near(new(big.Rat).Sub(paid, change), decimal(p.doc["amount"]))
	})},
}

// unpaid is the method of what is not paid for, which has no name in the interface.
const unpaid = "90"

// isChange says whether a field is the change that is given back. How it is called is not shown: any name with "change"
// in it is taken for it.
func isChange(name string) bool { return strings.Contains(strings.ToLower(name), "change") }

// payments sums what is paid. Nothing is judged where nothing has to be paid.
func (p *presented) payments() (paid, change *big.Rat, judged bool) {
	paid = new(big.Rat)
	for _, payment := range objectsOf(p.payload["payments"]) {
		if written(payment["method"]) == unpaid {
			return paid, nil, false
		}
		paid.Add(paid, decimal(payment["amount"]))
	}
	for name, value := range p.payload {
		if isChange(name) && value != nil {
			change = decimal(value)
		}
	}
	return paid, change, p.normal()
}

// The parts of the total that are added to the products', and those that only inform.
var (
	addedAmounts = []string{"freightAmount", "insuranceAmount", "othersAmount", "icmsStAmount", "ipiAmount", "fcpStAmount"}
	toldAmounts  = []string{
		"invoiceAmount", "productAmount", "discountAmount", "icmsAmount", "pisAmount", "cofinsAmount", "fcpAmount", "taxesAmount",
		"ibsAmount", "cbsAmount",
	}
)

// composedTotal is what the total of the invoice must be. Of its parts the interface shows the names of some; where
// another one is sent, or the items carry taxes that the total does not name, nothing is known.
func (p *presented) composedTotal() (composed *big.Rat, known bool) {
	total := part(p.payload, "total")
	composed = new(big.Rat)
	discount := new(big.Rat)
	for _, item := range p.items {
		composed.Add(composed, countedAmount(item))
		discount.Add(discount, decimal(item["discountAmount"]))
		for _, name := range []string{"ipi", "ii"} {
			if decimal(part(part(item, "taxes"), name)["amount"]).Sign() != 0 && total[name+"Amount"] == nil {
				return nil, false
			}
		}
		if decimal(part(part(item, "taxes"), "icms")["stAmount"]).Sign() != 0 && total["icmsStAmount"] == nil {
			return nil, false
		}
	}
	if total["discountAmount"] != nil {
		discount = decimal(total["discountAmount"])
	}
	composed.Sub(composed, discount)
	for name, value := range total {
		switch {
		case slices.Contains(addedAmounts, name):
			composed.Add(composed, decimal(value))
		case strings.HasSuffix(name, "Amount") && !slices.Contains(toldAmounts, name) && decimal(value).Sign() != 0:
			return nil, false
		}
	}
	return composed, p.normal()
}

// countedAmount is what an item adds to the total of the products.
func countedAmount(item object) *big.Rat {
	if item["makeupTotal"] == false {
		return new(big.Rat)
	}
	return decimal(item["totalAmount"])
}

// differs is the predicate of a total that is not the sum over the items. One that is not sent is the service's to fill in.
func differs(name string, of func(item object) *big.Rat) func(*presented) (string, bool) {
	return when(func(p *presented) bool {
		total := part(p.payload, "total")
		if total[name] == nil {
			return false
		}
		sum := new(big.Rat)
		for _, item := range p.items {
			sum.Add(sum, of(item))
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

// productOf is the predicate of an amount that is not the product of two others; other invoices than sales are free in it.
func productOf(unit, quantity string) func(p *presented, item object) bool {
	return func(p *presented, item object) bool {
		return p.normal() && !near(decimal(item["totalAmount"]), new(big.Rat).Mul(decimal(item[unit]), decimal(item[quantity])))
	}
}

func cfopBegins(item object, digits string) bool {
	cfop := written(item["cfop"])
	return cfop != "" && strings.Contains(digits, cfop[:1])
}

// validGTIN checks the last digit of a bar code (GS1 General Specifications, 7.9): weights 3 and 1 from the right.
func validGTIN(gtin string) bool {
	if !gtinForm.MatchString(gtin) {
		return false
	}
	sum := 0
	for i := range len(gtin) - 1 {
		digit := int(gtin[len(gtin)-2-i] - '0')
		if i%2 == 0 {
			digit *= 3
		}
		sum += digit
	}
	return strconv.Itoa((10-sum%10)%10) == gtin[len(gtin)-1:]
}
