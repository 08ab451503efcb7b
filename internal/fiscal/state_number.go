package fiscal

import "strings"

// stateNumber is how a state checks its registrations (inscrição estadual): how many digits they have at most, and
// how many of the last are check digits, of modulus 11 with weights from 2 to maxWeight. Leading zeros change nothing.
type stateNumber struct{ length, checkDigits, maxWeight int }

// stateNumbers has neither MG and SP, which calculate otherwise, nor AP, BA, GO, RO, RR and TO, whose rules differ by
// ranges of numbers: those are not judged (SINTEGRA, roteiros de crítica da inscrição estadual).
var stateNumbers = map[string]stateNumber{
	"AC": {13, 2, 9}, "AL": {9, 1, 9}, "AM": {9, 1, 9}, "CE": {9, 1, 9}, "DF": {13, 2, 9}, "ES": {9, 1, 9},
	"MA": {9, 1, 9}, "MS": {9, 1, 9}, "MT": {11, 1, 9}, "PA": {9, 1, 9}, "PB": {9, 1, 9}, "PE": {9, 2, 9},
	"PI": {9, 1, 9}, "PR": {10, 2, 7}, "RJ": {8, 1, 7}, "RN": {10, 1, 10}, "RS": {10, 1, 9}, "SC": {9, 1, 9},
	"SE": {9, 1, 9},
}

// StateTaxNumberFits reports whether a state registration has its check digits (210). It says yes of a text that is not
// digits alone, and of a state whose rule is not known here.
func StateTaxNumberFits(state, number string) bool {
	rule, known := stateNumbers[state]
	switch {
	case !allDigits(number):
		return true
	case strings.Trim(number, "0") == "":
		return false // MOC 7.0, rule E17-50: zeros.
	case state == "SP":
		return len(number) <= 12 && fitsInSP(strings.Repeat("0", 12-len(number))+number)
	case state == "MG":
		return len(number) <= 13 && fitsInMG(strings.Repeat("0", 13-len(number))+number)
	case state == "PE" && len(number) == 14: // The older form.
		return true
	case !known:
		return true
	case len(number) > rule.length || len(number) <= rule.checkDigits:
		return false
	}
	stem := number[:len(number)-rule.checkDigits]
	for range rule.checkDigits {
		stem += string(checkDigit(stem, rule.maxWeight))
	}
	return stem == number
}

// fitsInSP checks the ninth digit and the last one, each the last digit of a sum modulo 11.
func fitsInSP(number string) bool {
	digit := func(stem string, weights ...int) byte {
		sum := 0
		for i, weight := range weights {
			sum += int(stem[i]-'0') * weight
		}
		return byte('0' + sum%11%10)
	}
	return number[8] == digit(number, 1, 3, 4, 5, 6, 7, 8, 10) &&
		number[11] == digit(number, 3, 2, 10, 9, 8, 7, 6, 5, 4, 3, 2)
}

// fitsInMG checks the last two digits. The first of them weighs the others, with a zero after the city, by 1 and 2 in
// turn, and adds the digits of the products.
func fitsInMG(number string) bool {
	sum := 0
	for i, digit := range []byte(number[:3] + "0" + number[3:11]) {
		product := int(digit-'0') * (1 + i%2)
		sum += product/10 + product%10
	}
	return number[11] == byte('0'+(10-sum%10)%10) && number[12] == checkDigit(number[:12], 11)
}
