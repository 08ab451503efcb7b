package page

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// zone is that of Brasília, in which invoices are dated.
var zone = time.FixedZone("-03", -3*60*60)

var (
	decimal = regexp.MustCompile(`^(-?)0*([0-9]+)(?:\.([0-9]+))?$`)
	plain   = regexp.MustCompile(`^(?:[0-9]{11}|[0-9A-Z]{12}[0-9]{2})$`)
)

// modelName is what a model is called in Brazil.
func modelName(model string) string {
	switch model {
	case "productInvoice":
		return "NF-e"
	case "consumerInvoice":
		return "NFC-e"
	case "serviceInvoice":
		return "NFS-e"
	default:
		return model
	}
}

// whole writes a count.
func (l Language) whole(n int) string { return l.number(strconv.Itoa(n), 0) }

// numbered is the series and the number of an invoice.
func (l Language) numbered(series, number string) (string, error) {
	switch {
	case number == "":
		return l.say("number.none")
	case series == "":
		return l.say("number.alone", number)
	default:
		return l.say("number.series", series, number)
	}
}

// number writes a decimal number with at least so many decimals, without rounding. Other texts stay as they are.
func (l Language) number(text string, least int) string {
	found := decimal.FindStringSubmatch(text)
	if found == nil {
		return text
	}
	whole, fraction := found[2], found[3]
	for len(fraction) > least && strings.HasSuffix(fraction, "0") {
		fraction = fraction[:len(fraction)-1]
	}
	fraction += strings.Repeat("0", max(0, least-len(fraction)))
	thousands, point := ",", "."
	if l == Portuguese {
		thousands, point = point, thousands
	}
	var out strings.Builder
	out.WriteString(found[1])
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			out.WriteString(thousands)
		}
		out.WriteRune(digit)
	}
	if fraction != "" {
		out.WriteString(point + fraction)
	}
	return out.String()
}

// reais writes an amount of money.
func (l Language) reais(text string) string {
	if !decimal.MatchString(text) {
		return text
	}
	return "R$\u00a0" + l.number(text, 2)
}

// taxNumber writes a CPF or a CNPJ as it is printed.
func taxNumber(text string) string {
	switch {
	case !plain.MatchString(text):
		return text
	case len(text) == 11:
		return text[:3] + "." + text[3:6] + "." + text[6:9] + "-" + text[9:]
	default:
		return text[:2] + "." + text[2:5] + "." + text[5:8] + "/" + text[8:12] + "-" + text[12:]
	}
}

// fours parts an access key into groups of four.
func fours(key string) string {
	var groups []string
	for len(key) > 4 {
		groups, key = append(groups, key[:4]), key[4:]
	}
	return strings.Join(append(groups, key), " ")
}

// moment is a time with its zone, after the date where that is not today's.
func (l Language) moment(m Moment) string {
	const clock = "15:04:05 -07"
	at := m.At.In(zone)
	if at.Format(time.DateOnly) == m.Now.In(zone).Format(time.DateOnly) {
		return at.Format(clock)
	}
	return l.dated(m)
}

// dated is a time with its date and zone.
func (l Language) dated(m Moment) string {
	if l == Portuguese {
		return m.At.In(zone).Format("02/01/2006 15:04:05 -07")
	}
	return m.At.In(zone).Format("2006-01-02 15:04:05 -07")
}
