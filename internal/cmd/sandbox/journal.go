package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox/page"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// journal writes lines with the time of day, from many requests at once.
type journal struct {
	mu  sync.Mutex
	out io.Writer
}

func (j *journal) line(written string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintln(j.out, time.Now().Format(time.TimeOnly), written)
}

// statusWriter remembers what was answered.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) String() string {
	if w.status == 0 {
		return "no answer"
	}
	return strconv.Itoa(w.status)
}

// Unwrap lets the service reach the connection, for flushing.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// logged writes a line for each request to the service. Its query is left out, because it may hold somebody's tax
// number.
func logged(next http.Handler, log *journal) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if page.Requested(r) {
			next.ServeHTTP(w, r)
			return
		}
		begun := time.Now()
		recorded := &statusWriter{ResponseWriter: w}
		defer func() {
			log.line(
				fmt.Sprintf(
					"%s %s %s %s",
					r.Method,
					r.URL.EscapedPath(),
					recorded,
					time.Since(begun).Round(10*time.Microsecond),
				),
			)
		}()
		next.ServeHTTP(recorded, r)
	})
}

// deliveryLine says how the last try of a webhook delivery went. The query of its address may hold a secret.
func deliveryLine(d sandbox.Delivery) string {
	address := text.Of("sandbox.no_url", nil).String()
	if u, err := url.Parse(d.URL); err == nil {
		address = u.Scheme + "://" + u.Host + u.EscapedPath()
	}
	if d.State == sandbox.DeliverySkipped {
		return text.Of("sandbox.delivery_skipped", text.With{"event": d.Event, "address": address}).String()
	}
	status := "" // No answer.
	if last := d.Attempts[len(d.Attempts)-1]; last.Status != 0 {
		status = strconv.Itoa(last.Status)
	}
	return text.Of("sandbox.delivery", text.With{
		"event": d.Event, "address": address, "status": status, "state": d.State,
	}).String()
}
