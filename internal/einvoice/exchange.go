package einvoice

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"syscall"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/pace"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/plain"
)

// exchange sends one request and reads its answer. A POST does not end with the caller's
// context: an answer that is thrown away leaves behind an invoice that is not in state.
func (c *Client) exchange(
	ctx context.Context, p *pace.Permit, req call, target *url.URL, late func() bool,
) (*answer, *Error) {
	if req.method == http.MethodPost {
		ctx = context.WithoutCancel(ctx)
	}
	timed, cancel := context.WithTimeout(ctx, c.requestTimeout)
	defer cancel()
	sent := &sending{late: late, giveUp: cancel}
	r, err := c.request(httptrace.WithClientTrace(timed, sent.trace()), req, target, late)
	if err != nil {
		p.Unused()
		return nil, c.refuse(req, errors.New("the request cannot be built"))
	}
	resp, err := c.http.Do(r)
	if err != nil {
		p.Lost()
		return nil, c.failedExchange(ctx, timed, req, sent, err)
	}
	defer func() { _ = resp.Body.Close() }()
	p.Answered(resp.StatusCode, resp.Header)
	resp.Request = r // A redirect is relative to it. Not every transport sets it.
	var body []byte
	if resp.ContentLength <= maxBody { // One that says that it is larger is not read at all.
		body, err = io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	}
	return c.read(ctx, timed, req, resp, body, err)
}

// redactor is the key of the function in a context that redacts for its exchange.
type redactor struct{}

// Redact takes the secrets of the request with this context out of a text, in case the
// service says them back. It is for the transports of Config.Wrap.
func Redact(ctx context.Context, s string) string {
	if redact, ok := ctx.Value(redactor{}).(func(string) string); ok {
		return redact(s)
	}
	return s
}

func (c *Client) request(ctx context.Context, req call, target *url.URL, late func() bool) (*http.Request, error) {
	ctx = context.WithValue(ctx, redactor{}, func(s string) string { return c.redact(req, s) })
	var body io.Reader
	if req.body != nil {
		body = bytes.NewReader(req.body)
	}
	r, err := http.NewRequestWithContext(ctx, req.method, target.String(), body)
	if err != nil {
		return nil, err
	}
	if req.body != nil {
		r.Body = &timedBody{ReadCloser: r.Body, late: late}
	}
	if !req.repeatable() {
		// With it the transport could send the body a second time by itself.
		r.GetBody = nil
	}
	r.Header.Set(headerAPIKey, c.apiKey)
	r.Header.Set("User-Agent", c.userAgent)
	r.Header.Set("Accept", cmp.Or(req.accept, "application/json"))
	if req.body != nil {
		r.Header.Set("Content-Type", cmp.Or(req.contentType, "application/json"))
	}
	return r, nil
}

// errHidden is of an answer that may hold a secret.
var errHidden = errors.New("the answer is not shown, because it may hold the secret")

// errLate is the error of an attempt that was held back: the process slept, and request_timeout was over before the
// first byte could leave. Another run may rely on it that nothing is sent after that.
var errLate = errors.New("it could not be sent in time")

// timedBody is the body of a request. Its first read is the last moment at which the
// request can be held back: headers may have left, and without a body ask for nothing.
type timedBody struct {
	io.ReadCloser

	late    func() bool
	checked bool
}

func (b *timedBody) Read(p []byte) (int, error) {
	if !b.checked && b.late() {
		return 0, errLate
	}
	b.checked = true
	return b.ReadCloser.Read(p)
}

// sending records how far a request got.
type sending struct {
	dialing, connected, tooLate atomic.Bool

	late   func() bool
	giveUp func()
}

func (s *sending) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn: func(string) { s.dialing.Store(true) },
		GotConn: func(got httptrace.GotConnInfo) {
			if !s.late() {
				s.connected.Store(true)
				return
			}
			// A request without a body has no later moment, and nothing leaves through a
			// connection that is closed. To give up alone would race with the first byte.
			s.tooLate.Store(true)
			if got.Conn != nil {
				_ = got.Conn.Close()
			}
			s.giveUp()
		},
	}
}

// nothingSent reports whether the transport looked for a connection and never had one. Once
// it has one, bytes may be on their way, also on a reused one that turns out to be closed.
func (s *sending) nothingSent() bool { return s.dialing.Load() && !s.connected.Load() }

// failedExchange is the error of an exchange without an answer.
func (c *Client) failedExchange(ctx, timed context.Context, req call, sent *sending, err error) *Error {
	if sent.tooLate.Load() {
		err, timed = errLate, ctx
	}
	failure := &Error{Method: req.method, Path: req.route(), Err: c.cause(ctx, timed, req, err)}
	failure.notSent = sent.nothingSent() || errors.Is(err, errLate)
	failure.ambiguous = !failure.notSent
	failure.passing = ctx.Err() == nil && !errors.As(err, new(*tls.CertificateVerificationError))
	failure.cut = failure.passing && failure.ambiguous && timed.Err() == nil
	return failure
}

// errConnectionClosed is the error of a connection that ends before the whole answer has come, whichever layer says so.
var errConnectionClosed = errors.New("the connection was closed before the whole answer came")

// cause words a transport error without the URL, and without anything secret that a broken service wrote into it.
func (c *Client) cause(ctx, timed context.Context, req call, err error) error {
	if ctx.Err() == nil && timed.Err() != nil {
		return fmt.Errorf("no whole answer within %s", c.requestTimeout)
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	for _, closed := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, closed) {
			return errConnectionClosed
		}
	}
	return plain.Error(err, c.clean(req, err.Error(), maxText))
}
