package sandbox

import "strings"

// validTaxNumber reports whether a CPF or CNPJ has the right check digits. A CNPJ may have letters, which count as
// their ASCII code less 48 (Receita Federal, IN RFB 2.229/2024). A number of one repeated digit is nobody's.
func validTaxNumber(number string) bool {
	switch {
	case cpfForm.MatchString(number):
		return checkDigit(number[:9], 11) == number[9] && checkDigit(number[:10], 11) == number[10] && !repeated(number)
	case cnpjForm.MatchString(number):
		return checkDigit(number[:12], 9) == number[12] && checkDigit(number[:13], 9) == number[13] && !repeated(number)
	default:
		return false
	}
}

// checkDigit weighs the characters from the right with 2, 3 and so on, beginning again after the largest weight.
func checkDigit(characters string, largest int) byte {
	sum, weight := 0, 2
	for i := len(characters) - 1; i >= 0; i-- {
		sum += int(characters[i]-'0') * weight
		if weight++; weight > largest {
			weight = 2
		}
	}
	if rest := sum % 11; rest >= 2 {
		return byte('0' + 11 - rest)
	}
	return '0'
}

func repeated(number string) bool { return strings.Trim(number, number[:1]) == "" }

func isCPF(number string) bool  { return cpfForm.MatchString(number) }
func isCNPJ(number string) bool { return cnpjForm.MatchString(number) }
