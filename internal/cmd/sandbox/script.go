package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// scriptedInvoice is what comes of the invoices with one integrationId, or of the order with that transactionId.
type scriptedInvoice struct {
	IntegrationID string            `json:"integrationId"`
	Outcomes      []sandbox.Outcome `json:"outcomes"`
}

// readScript reads a file of -script; "" is none.
func readScript(path string) ([]scriptedInvoice, error) {
	if path == "" {
		return nil, nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("-script: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	var script []scriptedInvoice
	if err := decoder.Decode(&script); err != nil {
		return nil, fmt.Errorf("-script %s takes a list of {integrationId, outcomes}: %w", path, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("-script %s goes on after its list", path)
	}
	for i, one := range script {
		if one.IntegrationID == "" || len(one.Outcomes) == 0 {
			return nil, fmt.Errorf("-script %s: entry %d needs an integrationId and outcomes", path, i+1)
		}
	}
	return script, nil
}
