package fiscal

import (
	"regexp"
	"strconv"
)

// momentForm is a date of ISO 8601, with or without a time and an offset.
var momentForm = regexp.MustCompile(
	`^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?:([Zz])|([+-])(\d{2}):?(\d{2}))?)?$`)

// moment is a date in seconds, and the day on which it is in Brazil.
type moment struct{ seconds, day int }

// brasilia is the offset of a date without one, and of the days on which documents are dated.
const brasilia = -3 * 60 * 60

// momentOf reads a date without asking a clock. One that is no date of the calendar, such as February 30, is none.
func momentOf(text string) (m moment, ok bool) {
	parts := momentForm.FindStringSubmatch(text)
	if parts == nil {
		return moment{}, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(parts[i]) // Digits, or "" for a part that is not there.
		return n
	}
	year, month, day := number(1), number(2), number(3)
	days := daysSince(year, month, day)
	inMonth := month >= 1 && month <= 12 && day >= 1 && days < daysSince(year, month+1, 1)
	if !inMonth || number(4) > 23 || number(5) > 59 || number(6) > 60 {
		return moment{}, false
	}
	offset := brasilia
	switch {
	case parts[7] != "":
		offset = 0
	case parts[8] == "+":
		offset = number(9)*3600 + number(10)*60
	case parts[8] == "-":
		offset = -number(9)*3600 - number(10)*60
	}
	const daySeconds = 24 * 60 * 60
	m.seconds = days*daySeconds + number(4)*3600 + number(5)*60 + number(6) - offset
	m.day = (m.seconds + brasilia) / daySeconds
	return m, true
}

// IsDate reports whether a text is a date of ISO 8601, with or without a time.
func IsDate(text string) bool {
	_, ok := momentOf(text)
	return ok
}

// daysSince counts the days from March 1 of the year 0. Years begin in March, so that the leap day is the last one.
func daysSince(year, month, day int) int {
	if month < 3 {
		year, month = year-1, month+12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1
}
