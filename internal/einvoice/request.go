package einvoice

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

const (
	headerAPIKey = "X-Api-Key"

	// maxBody is the largest answer that is read: 16 MiB.
	maxBody = 16 << 20

	// maxNesting is how many objects and lists of an answer may lie inside each other. What reads them goes as deep.
	maxNesting = 200

	maxRedirects = 5
)

// call is one operation.
type call struct {
	name   string // of the operation
	method string
	path   []string // elements below the base URL, unescaped
	// collection is what the operation is about, by the first element of its path.
	collection string
	query      url.Values
	body       []byte
	accept     string // "" is application/json

	contentType string   // of body; "" is application/json
	secrets     []string // in a body that is not JSON: what the service must not be quoted with

	// once marks an operation other than a POST that must not be repeated while its outcome is unknown.
	once bool
	// anyBody accepts a 2xx whose body is not JSON.
	anyBody bool
	// secretAnswer marks an operation whose answer may hold a secret: no text of it is shown.
	secretAnswer bool
	// last lets other requests of this process go first.
	last bool
	// about is the id of the object that the answer may show; "" for any. A read that is
	// answered with another object has failed; the answer to a change is then ignored.
	about string

	guard Guard // of what must happen once; nil for none

	permits *pair                                        // of a read before a write; nil takes a permit of its own
	remake  func(context.Context, *pair) ([]byte, error) // reads, and makes the body; nil for one that is there
}

// route is the call as the specification writes its path.
func (r call) route() string {
	escaped := make([]string, len(r.path))
	for i, element := range r.path {
		escaped[i] = url.PathEscape(element)
	}
	return "/v1/" + strings.Join(escaped, "/")
}

// repeatable reports whether a call may be sent again while its outcome is unknown.
func (r call) repeatable() bool { return r.method != http.MethodPost && !r.once }

// with is the call with a JSON body. Each of them can be encoded.
func (r call) with(body any) call {
	r.body, _ = encode(body)
	return r
}

// do carries out a call: it waits for the rate limit, exchanges, and repeats what
// may be repeated. It is the only function that sends requests.
func (c *Client) do(ctx context.Context, req call) (*answer, error) {
	target, err := c.target(req)
	if err != nil {
		return nil, c.refuse(req, err)
	}
	if req.method != http.MethodGet {
		c.written(req.collection)
		defer c.written(req.collection)
	}

	repetitions := retries{call: req, most: c.maxRetries}
	var last *Error
	ambiguous := false // some attempt may have been processed
	for attempt, redirects := 1, 0; ; attempt++ {
		permit, err := c.permit(ctx, &req)
		if err != nil {
			return nil, c.gaveUp(req, last, err)
		}
		late, err := c.beginAttempt(ctx, req)
		if err != nil {
			permit.Unused()
			return nil, c.gaveUp(req, last, err)
		}
		a, failure := c.exchange(ctx, permit, req, target, late)
		if failure == nil {
			a.attempts = attempt
			return a, nil
		}
		failure.Attempts, failure.mayBeDone = attempt, ambiguous
		// What an earlier attempt may have done is not undone by a later one that did not arrive.
		ambiguous = ambiguous || failure.ambiguous
		if ambiguous && (failure.notSent || failure.Status == http.StatusTooManyRequests) {
			failure.ambiguous, failure.notSent = true, false
		}
		last = failure
		if failure.next != nil && redirects < maxRedirects {
			target, redirects = failure.next, redirects+1
			continue
		}
		wait, again := repetitions.next(failure, c.pace.Progressed())
		if !again {
			return nil, failure
		}
		if req.guard != nil && !failure.ambiguous {
			req.guard.TakeBack(ctx)
		}
		req.permits.giveBack()
		if failure.Status == http.StatusTooManyRequests {
			(&poll.Wait{Why: "wait.limit"}).Pauses(ctx, wait, 0)
		}
		if err := poll.Pause(ctx, wait); err != nil {
			return nil, c.gaveUp(req, last, err)
		}
	}
}

// target returns the URL of a call that can be sent.
func (c *Client) target(req call) (*url.URL, error) {
	if c.apiKey == "" {
		return nil, ErrNoAPIKey
	}
	for _, element := range req.path {
		// An empty element would address the collection, and a dot the parent.
		if element == "" || element == "." || element == ".." {
			return nil, fmt.Errorf("%w: %q", ErrBadID, element)
		}
	}
	target, err := url.Parse(c.base.String() + strings.TrimPrefix(req.route(), "/v1"))
	if err != nil {
		return nil, errors.New("the path cannot be sent")
	}
	target.RawQuery = req.query.Encode()
	return target, nil
}

// beginAttempt asks the guard. late reports whether the attempt's time
// is over, by the wall clock: the other one may stand still while a machine sleeps.
func (c *Client) beginAttempt(ctx context.Context, req call) (late func() bool, err error) {
	if req.guard == nil {
		return func() bool { return false }, nil
	}
	until := time.Now().Round(0).Add(c.requestTimeout)
	return func() bool { return time.Now().Round(0).After(until) }, req.guard.Begin(ctx)
}

// refuse is the error of a call that is not sent at all.
func (c *Client) refuse(req call, err error) *Error {
	return &Error{Method: req.method, Path: req.route(), Err: err, notSent: true}
}

// gaveUp is the error of a call that was not sent once more: the last failure if there was one, and why. The failure to
// make a body again is the whole error, unless an earlier attempt may have been processed.
func (c *Client) gaveUp(req call, last *Error, err error) error {
	if req.remake != nil && (last == nil || !last.ambiguous) {
		return err
	}
	if last == nil {
		return c.refuse(req, err)
	}
	failure := *last
	failure.Err = err
	if last.Err != nil {
		failure.Err = errors.Join(last.Err, err)
	}
	failure.notSent = !failure.ambiguous
	return &failure
}

// read makes an answer or an error of a status and a body.
func (c *Client) read(
	ctx, timed context.Context, req call, resp *http.Response, body []byte, readErr error,
) (*answer, *Error) {
	body = bytes.TrimPrefix(body, byteOrderMark)
	said := body
	if req.secretAnswer {
		said = nil
	}
	failure := &Error{
		Method: req.method, Path: req.route(), Status: resp.StatusCode,
		TraceID: c.clean(req, traceID(resp.Header, said), maxTraceID),
	}
	switch {
	case resp.StatusCode >= 200 && resp.StatusCode < 300:
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		c.redirected(failure, req, resp)
		return nil, failure
	default:
		if failure.Messages, failure.Text = c.messages(req, resp.Header, said); req.secretAnswer && len(body) > 0 {
			failure.Err = errHidden
		}
		failure.classify(resp.Header, body)
		return nil, failure
	}

	failure.ambiguous = true
	switch {
	case readErr != nil:
		failure.Err = fmt.Errorf("%w: it broke off: %w", ErrBadAnswer, c.cause(ctx, timed, req, readErr))
		failure.passing = ctx.Err() == nil
		return nil, failure
	case len(body) > maxBody, resp.ContentLength > maxBody:
		failure.Err = fmt.Errorf("%w: it is larger than %d MiB", ErrBadAnswer, maxBody>>20)
		return nil, failure
	}
	return c.accept(req, resp, body, said, failure)
}

// accept makes an answer of a whole body that came with success. failure becomes the error of one that cannot be read.
// said is the part that may enter a message.
func (c *Client) accept(req call, resp *http.Response, body, said []byte, failure *Error) (*answer, *Error) {
	a := &answer{
		call: req, status: resp.StatusCode, header: resp.Header, trace: failure.TraceID, body: body,
	}
	if trimmed := bytes.TrimSpace(body); !req.anyBody || len(trimmed) == 0 {
		a.body = trimmed
	}
	if !req.anyBody && len(a.body) > 0 && !json.Valid(a.body) {
		failure.Err = fmt.Errorf("%w: it is not JSON", ErrBadAnswer)
		if !strings.ContainsRune(`{["`, rune(a.body[0])) { // A broken object is no words, and may hold a key.
			_, failure.Text = c.messages(req, resp.Header, said)
		}
		return nil, failure
	}
	if !req.anyBody && nesting(a.body) > maxNesting {
		failure.Err = fmt.Errorf("%w: it is nested deeper than %d levels", ErrBadAnswer, maxNesting)
		return nil, failure
	}
	if !succeeded(a.body) {
		failure.ambiguous = false
		failure.Err = ErrNotSuccessful
		failure.Messages, failure.Text = c.messages(req, resp.Header, said)
		return nil, failure
	}
	a.object = objectIn(a.body)
	if id := idOf(a.object); req.about != "" && a.object != nil && !SameID(id, req.about) {
		a.object = nil
		if req.method == http.MethodGet {
			failure.Err = fmt.Errorf("%w: it is about another object, %s", ErrBadAnswer, c.clean(req, id, maxTraceID))
			return nil, failure
		}
	}
	return a, nil
}

// redirected allows a GET to go on at the same scheme, host and port. Any other redirect
// is an error: the key would go elsewhere, or a write would turn into a read.
func (c *Client) redirected(failure *Error, req call, resp *http.Response) {
	// 307 and 308 ask to send it elsewhere. The others may show where the result of what was processed is.
	isUnprocessed := resp.StatusCode == http.StatusTemporaryRedirect || resp.StatusCode == http.StatusPermanentRedirect
	failure.ambiguous = req.method != http.MethodGet && !isUnprocessed
	location, err := resp.Location()
	if err != nil {
		failure.Err = fmt.Errorf("%w without a usable address; check base_url", ErrRedirect)
		return
	}
	if req.method == http.MethodGet && sameOrigin(location, resp.Request.URL) {
		failure.next = location
		failure.Err = fmt.Errorf("%w again and again", ErrRedirect)
		return
	}
	failure.Err = fmt.Errorf("%w to %s://%s, which is not followed so that the API key goes nowhere else; "+
		"if that is the service's address, set base_url to it",
		ErrRedirect, location.Scheme, c.clean(req, location.Host, maxTraceID))
}
