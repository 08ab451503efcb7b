package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// entry is one of: what comes of the invoices with one integrationId, or of the order with that transactionId; an
// invoice that the main company received; how its next searches for those go.
type entry struct {
	IntegrationID string            `json:"integrationId"`
	Outcomes      []sandbox.Outcome `json:"outcomes"`
	Received      map[string]any    `json:"received"`
	Searches      []string          `json:"searches"`
}

// isWhole reports whether an entry is exactly one of its kinds.
func (e entry) isWhole() bool {
	kinds := 0
	for _, is := range []bool{e.IntegrationID != "", e.Received != nil, len(e.Searches) > 0} {
		if is {
			kinds++
		}
	}
	return kinds == 1 && (e.IntegrationID != "") == (len(e.Outcomes) > 0)
}

// readScript reads a file of -script; "" is none.
func readScript(path string) ([]entry, error) {
	if path == "" {
		return nil, nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, text.NewError("sandbox.script_unreadable", text.With{"cause": err})
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	var script []entry
	if err := decoder.Decode(&script); err != nil {
		return nil, text.NewError("sandbox.script_form", text.With{"file": path, "cause": err})
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, text.NewError("sandbox.script_goes_on", text.With{"file": path})
	}
	for i, e := range script {
		if !e.isWhole() {
			return nil, text.NewError("sandbox.script_entry", text.With{"file": path, "entry": i + 1})
		}
	}
	return script, nil
}

// play gives a script to the service.
func (s *settings) play(service *sandbox.Server, script []entry) error {
	for i, e := range script {
		var err error
		switch {
		case e.Received != nil:
			_, err = service.Receive(service.OwnerCompanyID(), e.Received)
		case e.Searches != nil:
			err = service.ScriptSearches(service.OwnerCompanyID(), e.Searches...)
		default:
			service.ScriptInvoice(e.IntegrationID, e.Outcomes...)
		}
		if err != nil {
			return text.NewError("sandbox.script_refused", text.With{"file": s.script, "entry": i + 1, "cause": err})
		}
	}
	return nil
}
