package page

import (
	"encoding/csv"
	"strings"
	"sync"
)

// Advice is what the provider advises about a rejection, in English, and the code that it is about.
type Advice struct{ Code, English string }

// Told is an advice in a language. Every second part is code.
type Told struct {
	Markup string // the tag of the language, since some advice is in English alone
	Parts  []string
}

// goesOn ends the advice about what is corrected and sent again.
const (
	goesOn    = " Then run apply again: the invoice is sent again under the same integration_id."
	prossegue = " Depois, rode o apply de novo: a nota é reenviada com o mesmo integration_id."
)

// remedies are the advice in Portuguese, by code. The guide of frequent rejections shows them too.
var remedies = sync.OnceValue(func() map[string]string {
	text, err := files.ReadFile("rejections.csv")
	if err != nil {
		panic("page: a file is missing: " + err.Error())
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		panic("page: the rejections cannot be read: " + err.Error())
	}
	all := map[string]string{}
	for _, row := range rows[1:] {
		all[row[0]] = strings.ReplaceAll(row[2], "{id}", "integration_id")
	}
	return all
})

// tell words an advice in the language, or in English where the code has no text in Portuguese.
func (l Language) tell(a Advice) Told {
	told, text := languages[English].Markup, a.English
	if remedy, ok := remedies()[a.Code]; ok && l == Portuguese {
		told, text = languages[Portuguese].Markup, remedy
		if strings.HasSuffix(a.English, goesOn) {
			text += prossegue
		}
	}
	return Told{Markup: told, Parts: strings.Split(text, "`")}
}
