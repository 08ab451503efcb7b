package fiscal

import (
	_ "embed" // The table.
	"encoding/csv"
	"strings"
	"sync"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// Law is a rule by which an authority refuses a document. payload_check, the explanations
// of codes and the sandbox's authority read it here, so that they cannot disagree.
type Law struct {
	Code   string // of the rejection
	Of     string // the documents that it is about, such as "NF-e, NFC-e"
	Ends   string // one of the ends below; "" where it is corrected and sent again
	From   string // the first day, such as 2026-08-03; "" where it is older than this table
	Until  string // the last day
	Source string
}

// The ends of a rejection.
const (
	endsByItself   = "by itself"  // Nothing is to be corrected.
	endsUnderWay   = "under way"  // The authority has the invoice, and no result yet.
	endsAuthorized = "authorized" // This is no rejection.
)

// HoldsOn reports whether the law is in force on a day, such as 2026-11-22. Where the day
// is not known, only a law that has no end is.
func (l Law) HoldsOn(day string) bool {
	if day == "" {
		return l.Until == ""
	}
	return l.From <= day && (l.Until == "" || day <= l.Until)
}

// LawOf returns the law behind the code of a rejection.
func LawOf(code string) (Law, bool) {
	for _, l := range laws() {
		if l.Code == code {
			return l, true
		}
	}
	return Law{}, false
}

// The codes stand by number, then those of ABRASF's model, which many cities follow (E and
// two digits), then those of the national system (E and four). The catalogs say why, and what to correct.
//
//go:embed law.csv
var lawCSV string

var laws = sync.OnceValue(func() []Law {
	var all []Law
	for _, row := range tableRows(lawCSV) {
		all = append(all, Law{row[0], row[1], row[2], row[3], row[4], row[5]})
	}
	return all
})

// tableRows are the rows of a table below its head.
func tableRows(table string) [][]string {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic(err) // The table is part of the program.
	}
	return rows[1:]
}

// rejection is what is said of a code.
func (l Law) rejection() Rejection {
	r := Rejection{
		Origin: OriginAuthority, Kind: RejectionDefinitive, Cause: text.Of("law."+l.Code+".cause", nil), Source: l.Source,
		advice: "rejection.law", remedy: "law." + l.Code + ".remedy", isSentAgain: l.Ends == "" || l.Ends == endsByItself,
	}
	switch l.Ends {
	case endsByItself, endsUnderWay:
		r.Kind = RejectionTransient
	case endsAuthorized:
		r.Kind = RejectionNone
	}
	return r
}
