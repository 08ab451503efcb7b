package sandbox

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// judgedTwice reports whether a rule of payload_check foresees a code.
func judgedTwice(code string) bool {
	return slices.ContainsFunc(fiscal.PayloadRules(), func(r fiscal.PayloadRule) bool { return slices.Contains(r.Laws, code) })
}

// What payload_check says of a document that nobody thought of, the authority says too: whatever it finds is refused,
// and of a code that it foresees it is not silent.
func TestCorpus_generatedDocumentsAreJudgedAlikeTwice(t *testing.T) {
	t.Parallel()
	// What the documents vary in: values of one member, as sample.Set has them.
	variations := rows.Read[map[string][]string](t, "corpus_variations.json")
	random := rand.New(rand.NewPCG(7, 11)) // The same documents each time.
	names := make([]string, 0, len(variations))
	for name := range variations {
		names = append(names, name)
	}
	slices.Sort(names)
	c := newIssuer(t, Options{Clock: NewManualClock(corpusNow)})
	judged := map[string]int{}
	for range 250 {
		from, path := "sale", product
		if random.IntN(3) == 0 {
			from, path = "counter", consumer
		}
		set := []string{`items=["@item"]`}
		for range 1 + random.IntN(4) {
			name := names[random.IntN(len(names))]
			if path == consumer && strings.HasPrefix(name, "receiver") {
				continue
			}
			set = append(set, name+"="+variations[name][random.IntN(len(variations[name]))])
		}
		slices.SortStableFunc(set, func(a, b string) int { return strings.Count(a, ".") - strings.Count(b, ".") })
		s := sample{Name: "generated", From: from, Set: strings.Join(set, "; ")}
		body := s.document(t, nil)
		var found []string
		for _, f := range fiscal.CheckPayload(modelAt(path), body, corpusNow.Format(time.RFC3339), "") {
			found = append(found, f.Code)
		}
		code, _, _ := answeredCode(c, path, body)
		judged[code]++
		if (len(found) > 0) != (code != "") && (len(found) > 0 || judgedTwice(code)) {
			text, _ := json.Marshal(body)
			t.Errorf("%v: payload_check finds %v, and the authority answers %q\n%s", set[1:], found, code, text)
		}
	}
	if len(judged) < 40 || judged[""] < 50 {
		t.Errorf("%d codes are answered and %d documents authorized, want 40 and 50", len(judged), judged[""])
	}
}
