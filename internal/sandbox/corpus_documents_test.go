package sandbox

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// document is a whole document, made after a public sample or its layout, or what breaks one thing in another.
type document struct {
	Name, About string
	// After is what a sound document is made after; City is the issuer's.
	After, Model, City, Regime string
	Payload                    json.RawMessage
	// From is the sound document that a broken one changes: members by their paths, null takes them away.
	From string
	Set  map[string]json.RawMessage
	// Law is the rejection that the slip means; Finds is what payload_check says, and Code the authority's answer.
	Law, Finds, Code string
	// Missed says why payload_check is silent about a slip.
	Missed string
}

func documentsOf(t *testing.T, file string) (all []document) {
	t.Helper()
	raw, err := os.ReadFile("../fiscal/testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(raw) {
		var d document
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatalf("%s: %s", err, line)
		}
		all = append(all, d)
	}
	return all
}

// The documents are judged as the provider sends them, by an issuer whose regime and state a plan knows. A slip that is
// found no more, or found at last, has to be told here.
func TestCorpus_wholeDocumentsAndTheirSlips(t *testing.T) {
	t.Parallel()
	sound, broken := documentsOf(t, "documents_sound.jsonl"), documentsOf(t, "documents_broken.jsonl")
	if len(sound) < 100 || len(broken) < 100 {
		t.Errorf("%d sound documents and %d broken ones, want 100 of each", len(sound), len(broken))
	}
	paths := map[string]string{"productInvoice": product, "consumerInvoice": consumer, "serviceInvoice": service}
	clients := map[string]*client{}
	for _, d := range slices.Concat(sound, broken) {
		of := d
		if d.From != "" {
			of = sound[slices.IndexFunc(sound, func(s document) bool { return s.Name == d.From })]
		}
		body, _ := decoded(of.Payload).(object)
		for path, value := range d.Set {
			setAt(t, body, strings.Split(path, "."), strings.TrimPrefix(string(value), "null"))
		}
		raw, _ := json.Marshal(body)
		body, _ = decoded(fiscal.SendablePayload(raw)).(object)
		state := fiscal.StateOfCity(of.City, "")
		as := of.Regime + of.City
		if clients[as] == nil {
			clients[as] = newIssuerAs(t, of.Regime)
			city := object{"code": of.City, "state": strings.ToLower(state)}
			company(object{"address": object{"city": city}})(clients[as])
		}
		var found []string
		issuer := fiscal.Issuer{Regime: of.Regime, State: state}
		for _, f := range issuer.CheckPayload(of.Model, body, corpusNow.Format(time.RFC3339)) {
			found = append(found, strings.TrimSpace(f.Code+" "+f.Path))
		}
		code, message, _ := answeredCode(clients[as], paths[of.Model], body)
		if got := strings.Join(found, "; "); got != d.Finds || code != d.Code {
			t.Errorf("%s: payload_check finds %q, want %q; the authority answers %q (%s), want %q", d.Name, got, d.Finds, code,
				message, d.Code)
		}
		if d.From != "" && (d.Finds == "") != (d.Missed != "") {
			t.Errorf("%s: either payload_check finds a slip, or it is said why not", d.Name)
		}
	}
}
