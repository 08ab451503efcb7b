package fiscal

import (
	"slices"
	"strconv"
	"strings"
)

// The tax regimes of a company, in the words of the service: CRT 1, 4, 2 and 3.
const (
	RegimeSimples = "simplesNacional"
	RegimeMEI     = "simplesNacionalMEI"
	RegimeExcess  = "simplesNacionalExcessoSublimite"
	RegimeNormal  = "regimeNormal"
)

// Codes that the layout of the NF-e has (MOC 7.0, Anexo I, groups N, Q and S).
var (
	ICMSCodes    = []string{"00", "02", "10", "15", "20", "30", "40", "41", "50", "51", "53", "60", "61", "70", "90"}
	SimplesCodes = []string{"101", "102", "103", "201", "202", "203", "300", "400", "500", "900"}
	// SingleStageCodes are the CST of fuel. They have no CSOSN, so that a station of the Simples Nacional mixes both.
	SingleStageCodes = []string{"02", "15", "53", "61"}
	// UntaxedCodes are the CST whose amount does not count in the total of the ICMS (532).
	UntaxedCodes = []string{"40", "41", "50"}
	// AmountlessICMS and AmountlessContributions are the codes of the ICMS, and of PIS and COFINS, without a base
	// and an amount of their own. Single-phase fuel has them under other names.
	AmountlessICMS = []string{
		"02", "15", "30", "40", "41", "50", "53", "60", "61",
		"101", "102", "103", "201", "202", "203", "300", "400", "500",
	}
	AmountlessContributions = []string{"04", "05", "06", "07", "08", "09"}
	// RatedCodes are the CST whose amount is the base times the rate (528).
	RatedCodes = []string{"00", "10", "20", "70"}
)

// What an NFC-e may have. What only some states accept is in: CST 90, CSOSN 900, CFOP 5403 and 5949
// (NT 2023.003). CFOP 5910 is of NT 2026.002.
var (
	ConsumerCFOPs = []string{
		"5101", "5102", "5103", "5104", "5115", "5403", "5405", "5656", "5667", "5910", "5933", "5949",
	}
	// ConsumerCodes are CST and CSOSN (766, 383).
	ConsumerCodes = []string{
		"00", "02", "15", "20", "40", "41", "53", "60", "61", "90", "102", "103", "300", "400", "500", "900",
	}

	consumerTaxed = []string{"5101", "5102", "5103", "5104", "5115"}
)

// ConsumerCFOPFits reports whether a CFOP of an NFC-e goes with a CST (382) or a CSOSN (386). Of the codes that some
// states accept with others, it says yes.
func ConsumerCFOPFits(cfop, code string) bool {
	switch code {
	case "60", "500":
		return !slices.Contains(consumerTaxed, cfop)
	case "00", "20", "40", "41", "102", "103", "300", "400":
		return cfop != "5405"
	}
	return true
}

// returnCFOPs are the CFOP of returns without their first digit, by whether they come in (NT 2015.002, annex XI.01).
var returnCFOPs = map[bool][]string{
	true: {
		"201", "202", "203", "204", "208", "209", "211", "212", "213", "214", "215", "216", "410", "411", "503",
		"504", "505", "506", "553", "660", "661", "662", "918", "919",
	},
	false: {
		"201", "202", "208", "209", "210", "211", "212", "213", "214", "215", "216", "410", "411", "412", "413",
		"503", "553", "555", "556", "660", "661", "662", "918", "919", "921",
	},
}

// IsReturnCFOP reports whether a CFOP is one of a return, which a sale must not have (328).
func IsReturnCFOP(cfop string) bool {
	return len(cfop) == 4 && slices.Contains(returnCFOPs[cfop[0] <= '3'], cfop[1:])
}

// IsTradeCFOP reports whether a CFOP is one of a sale or a purchase, which a return must not have (327).
func IsTradeCFOP(cfop string) bool {
	return len(cfop) == 4 && (cfop[1] == '1' || slices.Contains([]string{"401", "402", "403", "404", "405"}, cfop[1:]))
}

// Methods of payment without money (MOC 7.0, rule YA03-10; NT 2025.001 v1.03).
const (
	UnpaidMethod = "90"
	LaterMethod  = "91"
	OtherMethod  = "99"
)

// OtherTaxes are the taxes that a credit or debit note must not have (1001).
var OtherTaxes = []string{"ICMS", "ISSQN", "IPI", "II", "PIS", "COFINS"}

// Periods and limits of the rules.
const (
	LateDays            = 30     // Older than that is 228.
	ConsumerLateMinutes = 5      // Older than that is 704, and newer by that 703.
	TotalTolerance      = "0.50" // of 610, MOC 7.0 (*3)
	UnidentifiedLimit   = "10000"
	MaximumISSRate      = 5 // in percent (E0595)
	// ReformInTotalFrom is the day from which IBS and CBS count in the total (LC 214/2025; NT 2025.002).
	ReformInTotalFrom = "2027-01-01"
)

// southAndSoutheast are the states of the South and Southeast, without ES.
var southAndSoutheast = []string{"MG", "PR", "RJ", "RS", "SC", "SP"}

// InterstateRate is the highest ICMS rate of a sale to another state, in percent (693). A state that is not known
// is "".
func InterstateRate(from, to string) int64 {
	if slices.Contains(southAndSoutheast, from) && to != "" && !slices.Contains(southAndSoutheast, to) {
		return 7
	}
	return 12
}

// IsRatedInterstate reports whether the rate of an item between states is limited: a sale or purchase is, but not one
// to the order of somebody else (CFOP) nor of a vehicle (NCM).
func IsRatedInterstate(cfop, ncm string) bool {
	toOrder := slices.Contains([]string{"6118", "6119", "6122", "6123"}, cfop)
	return strings.HasPrefix(cfop, "6") && IsTradeCFOP(cfop) && !toOrder && !strings.HasPrefix(ncm, "87")
}

// ImportedOrigins are the origins of imported goods, whose rate between states is 4 % (663; Resolução do Senado
// 13/2012).
var ImportedOrigins = []string{"1", "2", "3", "8"}

// ImportedRate is the highest ICMS rate of imported goods between states, in percent (663).
const ImportedRate = 4

// InterstateCodes are the CST whose rate between states is limited (663, 693).
var InterstateCodes = []string{"00", "10", "20", "70", "90"}

// HasNCMChapter reports whether an NCM is in a chapter of the table (778). Chapter 99 has codes for exports alone.
func HasNCMChapter(ncm string, exported bool) bool {
	chapter := ncm[:2]
	return chapter > "00" && chapter <= "97" && chapter != "77" || exported && chapter == "99"
}

// plainSales are CFOP of sales, which are no exception of the rules about receivers without a registration.
var plainSales = []string{"5101", "5102", "6107", "6108"}

// RefusedOfReceiver is the rejection of a CST or CSOSN in a plain sale within Brazil by the receiver's state
// registration: 508 and 600 of one that is none, 529 of ISENTO; "" where it is accepted or not known.
func RefusedOfReceiver(registration, cfop, code string) string {
	switch {
	case !slices.Contains(plainSales, cfop):
		return ""
	case registration == "" && code == "50":
		return "508"
	case registration == "" && code == "101":
		return "600"
	case strings.EqualFold(registration, "ISENTO") && code == "50":
		return "529"
	}
	return ""
}

// receiptCFOPs record what an ECF receipt has sold (701).
var receiptCFOPs = []string{"5929", "6929"}

// IsReceiptCFOP reports whether a CFOP needs a document that the invoice refers to (701).
func IsReceiptCFOP(cfop string) bool { return slices.Contains(receiptCFOPs, cfop) }

// ServiceCFOP is the only CFOP of services in an NFC-e (374).
const ServiceCFOP = "5933"

// HasSuframa reports whether a city is in the area of SUFRAMA (251): Macapá and Santana are of AP.
func HasSuframa(state, cityCode string) bool {
	ofAP := slices.Contains([]string{"", "1600303", "1600600"}, cityCode)
	return slices.Contains([]string{"", "AC", "AM", "RO", "RR"}, state) || state == "AP" && ofAP
}

// ReformTax is a part of IBS and CBS: its rate of 2026 in percent, and the rejections of a wrong rate and amount.
type ReformTax struct{ Rate, WrongRate, WrongAmount string }

// ReformTaxes are the state's IBS, the city's and the CBS (LC 214/2025, art. 343 and 346). Where a classification or an
// incentive zone has no rate, it is 0.
var ReformTaxes = [...]ReformTax{{"0.1", "1026", "1041"}, {"0", "1036", "1052"}, {"0.9", "1037", "1069"}}

// serviceItems counts the items of each group in the list of LC 116/2003. The national list adds group 99.
var serviceItems = map[int]int{
	1: 9, 2: 1, 3: 5, 4: 23, 5: 9, 6: 6, 7: 22, 8: 2, 9: 3, 10: 10, 11: 5, 12: 17, 13: 5, 14: 14, 15: 18, 16: 2, 17: 25,
	18: 1, 19: 1, 20: 3, 21: 1, 22: 1, 23: 1, 24: 1, 25: 5, 26: 1, 27: 1, 28: 1, 29: 1, 30: 1, 31: 1, 32: 1, 33: 1,
	34: 1, 35: 1, 36: 1, 37: 1, 38: 1, 39: 1, 40: 1, 99: 4,
}

// IsListedService reports whether the list of services has an item, such as "17.01" or "1.07" (E30, E0310).
func IsListedService(code string) bool {
	group, item, _ := strings.Cut(code, ".")
	groupNumber, groupErr := strconv.Atoi(group)
	itemNumber, itemErr := strconv.Atoi(item)
	return groupErr == nil && itemErr == nil && itemNumber >= 1 && itemNumber <= serviceItems[groupNumber]
}

// oddCities are the municipal codes whose check digit does not fit (IBGE).
var oddCities = []string{
	"2201919", "2201988", "2202251", "2611533", "3117836", "3152131", "4305871", "5203939", "5203962",
}

// nationalCities issue in the national layout, all companies from a day on. Their NFS-e need a national or a city's
// code (Resolução SMF 3.419/2026, Portaria SMFA 75/2025, Portaria SMF 49/2025, Decreto 6.743/2025, in this order).
var nationalCities = map[string]struct{ name, from string }{
	"3304557": {"Rio de Janeiro", "2026-01-01"}, "3106200": {"Belo Horizonte", "2026-01-01"},
	"4106902": {"Curitiba", "2026-01-01"}, "1302603": {"Manaus", "2026-01-01"},
}

// IsFittingCity reports whether a municipal code, as CheckCityCode takes it, is one abroad or has its check digit:
// weights 1 and 2 in turn, digits of each product added up.
func IsFittingCity(code string) bool {
	sum := 0
	for i := range len(code) - 1 {
		product := int(code[i]-'0') * (i%2 + 1)
		sum += product/10 + product%10
	}
	return (10-sum%10)%10 == int(code[len(code)-1]-'0') || code == cityCodeAbroad || slices.Contains(oddCities, code)
}
