package page

import (
	"context"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// Advice is what the provider advises about a rejection.
type Advice struct{ text.Text }

// tell is an advice in the language. Every second part is code.
func (l Language) tell(a Advice) []string {
	in := text.InLanguage(context.Background(), text.Language(languages[l].Markup))
	return strings.Split(a.In(in), "`")
}
