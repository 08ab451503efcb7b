package sandbox

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// defaultStateCode is the code of São Paulo, for a company whose city is unknown.
const defaultStateCode = "35"

// The digit of an access key that tells how the invoice was emitted.
const (
	emissionNormal  = 1
	emissionSVCAN   = 6
	emissionSVCRS   = 7
	emissionOffline = 9
)

// accessKey makes the 44 characters of an NF-e (model "55") or NFC-e ("65"). The issuer's CNPJ may hold letters; a
// CPF is padded with zeros. code has eight digits.
func accessKey(
	stateCode string, on time.Time, taxNumber, model, series string, number int64, emission int, code string,
) string {
	seriesNumber, err := strconv.Atoi(series)
	if err != nil || seriesNumber < 0 || seriesNumber > 999 {
		seriesNumber = 0
	}
	issuer := strings.Repeat("0", max(0, 14-len(taxNumber))) + taxNumber
	stem := fmt.Sprintf("%s%s%s%s%03d%09d%d%s",
		stateCode, on.In(localZone).Format("0601"), issuer[:14],
		model, seriesNumber, number%1_000_000_000, emission, code)
	return stem + strconv.Itoa(accessKeyDigit(stem))
}

// accessKeyDigit is the check digit: modulus 11 from the right with the weights 2 to 9, repeating, where a character
// counts for its ASCII code less 48.
func accessKeyDigit(stem string) int {
	sum, weight := 0, 2
	for i := len(stem) - 1; i >= 0; i-- {
		sum += int(stem[i]-'0') * weight
		if weight++; weight > 9 {
			weight = 2
		}
	}
	if r := sum % 11; r >= 2 {
		return 11 - r
	}
	return 0
}

// digits draws n decimal digits. The caller holds the lock.
func (s *Server) digits(n int) string {
	b := s.randomBytes(n)
	for i := range b {
		b[i] = '0' + b[i]%10
	}
	return string(b)
}
