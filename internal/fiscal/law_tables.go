package fiscal

import (
	_ "embed" // The table.
	"slices"
	"strconv"
	"strings"
	"sync"
)

// lists are codes of the layout and of the rules, by name. The table says where each is from.
//
//go:embed lists.csv
var listsCSV string

var lists = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, row := range tableRows(listsCSV) {
		all[row[0]] = strings.Fields(row[1])
	}
	return all
})

// IsListed reports whether one of the lists has a code.
func IsListed(list, code string) bool { return slices.Contains(lists()[list], code) }

// The tax regimes of a company, in the words of the service: CRT 1, 4, 2 and 3.
const (
	RegimeSimples = "simplesNacional"
	RegimeMEI     = "simplesNacionalMEI"
	RegimeExcess  = "simplesNacionalExcessoSublimite"
	RegimeNormal  = "regimeNormal"
)

// ConsumerCFOPFits reports whether a CFOP of an NFC-e goes with a CST (382) or a CSOSN (386). Of the codes that some
// states accept with others, it says yes.
func ConsumerCFOPFits(cfop, code string) bool {
	switch code {
	case "60", "500":
		return !IsListed("consumer_taxed", cfop)
	case "00", "20", "40", "41", "102", "103", "300", "400":
		return cfop != "5405"
	}
	return true
}

// IsReturnCFOP reports whether a CFOP is one of a return, which a sale must not have (328).
func IsReturnCFOP(cfop string) bool {
	list := map[bool]string{true: "returns_in", false: "returns_out"}
	return len(cfop) == 4 && IsListed(list[cfop[0] <= '3'], cfop[1:])
}

// IsTradeCFOP reports whether a CFOP is one of a sale or a purchase, which a return must not have (327).
func IsTradeCFOP(cfop string) bool {
	return len(cfop) == 4 && (cfop[1] == '1' || slices.Contains([]string{"401", "402", "403", "404", "405"}, cfop[1:]))
}

// Methods of payment without money (MOC 7.0, rule YA03-10; NT 2025.001 v1.03).
const (
	UnpaidMethod = "90"
	NoPayment    = "noPayment" // the service's word for 90
	LaterMethod  = "91"
	OtherMethod  = "99"
)

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

// InterstateRate is the highest ICMS rate of a sale to another state, in percent (693). A state that is not known
// is "".
func InterstateRate(from, to string) int64 {
	if IsListed("south_and_southeast", from) && to != "" && !IsListed("south_and_southeast", to) {
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

// ImportedRate is the highest ICMS rate of imported goods between states, in percent (663).
const ImportedRate = 4

// HasNCMChapter reports whether an NCM is in a chapter of the table (778). Chapter 99 has codes for exports alone.
func HasNCMChapter(ncm string, exported bool) bool {
	chapter := ncm[:2]
	return chapter > "00" && chapter <= "97" && chapter != "77" || exported && chapter == "99"
}

// RefusedOfReceiver is the rejection of a CST or CSOSN in a plain sale within Brazil by the receiver's state
// registration: 508 and 600 of one that is none, 529 of ISENTO; "" where it is accepted or not known.
func RefusedOfReceiver(registration, cfop, code string) string {
	switch {
	case !IsListed("plain_sales", cfop):
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

// ServiceCFOP is the only CFOP of services in an NFC-e (374).
const ServiceCFOP = "5933"

// validSuframa reports whether a registration has 8 or 9 digits, the last of which checks the others (235).
func validSuframa(number string) bool {
	digits := NormalizeTaxNumber(number)
	if len(digits) == 8 {
		digits = "0" + digits
	}
	return allDigits(digits) && len(digits) == 9 && checkDigit(digits[:8], 9) == digits[8]
}

// hasSuframa reports whether a city is in the area of SUFRAMA (251): Macapá and Santana are of AP.
func hasSuframa(state, cityCode string) bool {
	ofAP := slices.Contains([]string{"", "1600303", "1600600"}, cityCode)
	return slices.Contains([]string{"", "AC", "AM", "RO", "RR"}, state) || state == "AP" && ofAP
}

// reformTax is a part of IBS and CBS: how the names of its members begin, its rate of 2026 in percent, and the
// rejections of a wrong rate and amount.
type reformTax struct{ name, rate, wrongRate, wrongAmount string }

// reformTaxes are the state's IBS, the city's and the CBS (LC 214/2025, art. 343 and 346). Where a classification or an
// incentive zone has no rate, it is 0. The service's specification does not show the names: they are those of examples.
var reformTaxes = [...]reformTax{
	{"ibsState", "0.1", "1026", "1041"}, {"ibsCity", "0", "1036", "1052"}, {"cbs", "0.9", "1037", "1069"},
}

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
	return (10-sum%10)%10 == int(code[len(code)-1]-'0') || code == cityCodeAbroad || IsListed("odd_cities", code)
}
