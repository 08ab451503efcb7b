// The receiver takes the deliveries of webhooks: it verifies who has sent them, and
// stores each one once. It needs nothing but the standard library.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tolerance is how far the time of a delivery may be off. An older one may be a replay.
const tolerance = 5 * time.Minute

// Verify says whether a delivery is signed with the secret, which begins with whsec_.
// The body must be the bytes that arrived: re-encoded JSON has another signature.
func Verify(secret string, header http.Header, body []byte, now time.Time) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return errors.New("the secret is not valid base64")
	}
	id, timestamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return errors.New("the time of the delivery is missing, or too far off")
	}
	mac := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	// While the window of a rotation lasts there are two entries: one for each secret.
	for _, entry := range strings.Fields(header.Get("Webhook-Signature")) {
		version, text, _ := strings.Cut(entry, ",")
		signature, err := base64.StdEncoding.DecodeString(text)
		if version == "v1" && err == nil && hmac.Equal(signature, mac.Sum(nil)) {
			return nil
		}
	}
	return errors.New("no signature of the delivery fits the secret")
}

// Handler answers 2xx as soon as a delivery is kept. The function keep stores it under
// its id, does nothing when the id is there already, and leaves the work to somebody else.
func Handler(secret func() string, keep func(id, event string, data json.RawMessage) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || Verify(secret(), r.Header, body, time.Now()) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var delivery struct {
			ID    string          `json:"id"`
			Event string          `json:"event"`
			Data  json.RawMessage `json:"data"`
		}
		if json.Unmarshal(body, &delivery) != nil || keep(delivery.ID, delivery.Event, delivery.Data) != nil {
			w.WriteHeader(http.StatusInternalServerError) // It comes again.
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}
