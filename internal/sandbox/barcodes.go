package sandbox

import (
	"regexp"
	"strconv"
)

var gtinForm = regexp.MustCompile(`^([0-9]{8}|[0-9]{12,14})$`)

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
