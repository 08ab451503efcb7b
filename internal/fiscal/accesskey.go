package fiscal

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// AccessKeyLength is the length of the access key of an NF-e or NFC-e.
const AccessKeyLength = 44

// nationalKeyLength is the length of the key of a national NFS-e, which has another layout.
const nationalKeyLength = 50

// AccessKey holds the parts of the access key of an NF-e or NFC-e, by their names in the language of the CLIs.
type AccessKey struct {
	StateCode        string `tfsdk:"state_code"` // the two-digit IBGE code of the issuer's state
	State            string `tfsdk:"state"`      // its abbreviation in upper case
	Year             int    `tfsdk:"year"`       // the key has two digits of it, of this century
	Month            int    `tfsdk:"month"`
	FederalTaxNumber string `tfsdk:"federal_tax_number"` // the issuer's CNPJ of 14 characters; for a CPF, 000 and the CPF
	Model            string `tfsdk:"model"`              // "55" (NF-e) or "65" (NFC-e)
	Series           int    `tfsdk:"series"`
	Number           int    `tfsdk:"number"`
	// EmissionType is 1 (normal) or the kind of contingency: 2 FS-IA, 3 SCAN, 4 EPEC, 5 FS-DA, 6 SVC-AN, 7 SVC-RS,
	// 9 offline NFC-e.
	EmissionType int    `tfsdk:"emission_type"`
	Code         string `tfsdk:"code"` // the eight random digits
	CheckDigit   int    `tfsdk:"check_digit"`
}

// ParseAccessKey reads the parts of the key of an NF-e or NFC-e. White space is ignored, because keys are printed in
// groups of four, and the letters of an alphanumeric CNPJ may be in lower case. An error names the position, counted
// from 1 without white space, and the character that is there. The check digits of the CNPJ are not checked: the key
// has a check digit of its own.
func ParseAccessKey(s string) (AccessKey, error) {
	key := strings.Join(strings.Fields(upperASCII(s)), "")
	for i, r := range []rune(key) {
		position := i + 1
		switch letters := position >= 7 && position <= 18; {
		case r >= '0' && r <= '9', letters && r >= 'A' && r <= 'Z':
		case letters:
			return AccessKey{}, text.NewError("access_key.letter", text.With{
				"position": position, "character": strconv.QuoteRune(r),
			})
		case position <= AccessKeyLength:
			return AccessKey{}, text.NewError("access_key.digit", text.With{
				"position": position, "character": strconv.QuoteRune(r),
			})
		}
	}
	switch n := utf8.RuneCountInString(key); n {
	case AccessKeyLength:
	case nationalKeyLength:
		return AccessKey{}, text.NewError("access_key.national", text.With{"length": n, "wanted": AccessKeyLength})
	default:
		return AccessKey{}, text.NewError("access_key.length", text.With{"length": n, "wanted": AccessKeyLength})
	}
	k := AccessKey{
		StateCode: key[0:2], State: states[key[0:2]], Year: 2000 + number(key[2:4]), Month: number(key[4:6]),
		FederalTaxNumber: key[6:20], Model: key[20:22], Series: number(key[22:25]), Number: number(key[25:34]),
		EmissionType: number(key[34:35]), Code: key[35:43], CheckDigit: number(key[43:44]),
	}
	expected := number(string(checkDigit(key[:43], 9)))
	switch { // The check digit comes first: where it is wrong, a part is probably mistyped.
	case k.CheckDigit != expected:
		return AccessKey{}, text.NewError("access_key.check_digit", text.With{"digit": k.CheckDigit, "wanted": expected})
	case k.State == "":
		return AccessKey{}, text.NewError("access_key.state", text.With{"state": k.StateCode})
	case k.Month < 1 || k.Month > 12:
		return AccessKey{}, text.NewError("access_key.month", text.With{"month": key[4:6]})
	case k.Model != "55" && k.Model != "65":
		return AccessKey{}, text.NewError("access_key.model", text.With{"model": k.Model})
	case k.EmissionType == 0 || k.EmissionType == 8:
		return AccessKey{}, text.NewError("access_key.emission_type", text.With{"type": k.EmissionType})
	}
	return k, nil
}

// number reads up to nine digits, which fit into an int on every platform.
func number(digits string) int {
	n := 0
	for i := range len(digits) {
		n = n*10 + int(digits[i]-'0')
	}
	return n
}
