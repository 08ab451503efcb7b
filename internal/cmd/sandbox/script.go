package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// scriptedInvoice is what comes of the invoices with one integrationId, or of the order with that transactionId.
type scriptedInvoice struct {
	IntegrationID string          `json:"integrationId"`
	Outcomes      json.RawMessage `json:"outcomes"`
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

// send declares the outcomes to the service, by the control that scripts use.
func (i scriptedInvoice) send(ctx context.Context, address string) error {
	body, err := json.Marshal(i)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/_sandbox/script", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	// No connection is left open, which would hold up the end of the server.
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return fmt.Errorf("the outcomes of %s are refused: %s", i.IntegrationID, strings.TrimSpace(string(answer)))
}
