package einvoice

import (
	"testing"
	"time"
)

func TestMaySendAgain(t *testing.T) {
	t.Parallel()
	const searched = 20 * time.Second
	for name, tt := range map[string]struct {
		outcome     outcome
		repetitions int
		may         bool
	}{
		"a cut connection":              {outcome: reset, may: true},
		"502":                           {outcome: status(502, ""), may: true},
		"503":                           {outcome: status(503, "", "Retry-After", "20"), may: true},
		"503 once more":                 {outcome: status(503, ""), repetitions: 1, may: true},
		"503 too often":                 {outcome: status(503, ""), repetitions: 2},
		"503 that asks for more time":   {outcome: status(503, "", "Retry-After", "21")},
		"500 may come again for it":     {outcome: status(500, "")},
		"504 may still be at work":      {outcome: status(504, "")},
		"no answer in time":             {outcome: silent(true)},
		"half an answer with a success": {outcome: brokenOff},
		"a refusal":                     {outcome: status(400, "")},
		"nothing was sent":              {outcome: refused},
	} {
		bubble(t, name, func(t *testing.T) {
			c, _ := played(t, 2, tt.outcome)
			err := operations["POST"](t.Context(), c)
			if may := c.MaySendAgain(err, tt.repetitions, searched); may != tt.may {
				t.Errorf("%t after %v, want %t", may, err, tt.may)
			}
		})
	}
}
