package einvoice

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/pace"
)

const (
	backoffFirst = 500 * time.Millisecond
	backoffMost  = 15 * time.Second

	// longestAsked is the most that an answer is believed to ask for.
	longestAsked = 24 * time.Hour

	// least time to wait after a 429, however short the service asks for.
	shortestLimitedWait = 100 * time.Millisecond
)

// retries counts the repetitions of one call. Refusals by the rate limit are bounded by
// time: where many requests compete, each may be refused often while all get on.
type retries struct {
	call            call
	most            int
	failed, limited int
	refused         time.Time // when a 429 came first
}

// next returns how long to wait before the repetition, and whether there is one.
// progress is when the limit last let through any request of this process.
func (r *retries) next(failure *Error, progress time.Time) (time.Duration, bool) {
	switch {
	case !failure.passing || failure.RetryAfter > pace.LongestWait:
		return 0, false
	case failure.Status == http.StatusTooManyRequests: // The service did not process the request.
		if r.call.name == syncInbound && failure.RetryAfter > 0 {
			return 0, false
		}
		now := time.Now()
		if r.limited++; r.limited == 1 {
			r.refused = now
		}
		if now.Sub(r.refused) >= pace.LongestWait && now.Sub(progress) >= pace.LongestWait {
			return 0, false
		}
		if failure.RetryAfter > 0 {
			return max(failure.RetryAfter, shortestLimitedWait), true
		}
		return backoff(r.limited), true
	case !failure.notSent && !r.call.repeatable(), r.failed >= r.most:
		return 0, false
	}
	r.failed++
	return max(failure.RetryAfter, backoff(r.failed)), true
}

// backoff doubles with each repetition; its random half spreads out the requests that failed together.
func backoff(repetition int) time.Duration {
	d := min(backoffFirst<<min(repetition-1, 10), backoffMost)
	return d/2 + rand.N(d/2) //nolint:gosec // Jitter needs no secrecy.
}

// classify decides from the status of an answer other than 2xx and 3xx what is known
// of the outcome, whether a repetition may help, and how long to wait for it.
func (e *Error) classify(header http.Header, body []byte) {
	e.ambiguous = e.Status == http.StatusRequestTimeout || e.Status >= 500
	switch e.Status {
	case http.StatusTooManyRequests:
		e.passing = true
		e.RetryAfter = limitedWait(header, body, time.Now())
	case http.StatusRequestTimeout, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		e.passing = true
		e.RetryAfter, _ = retryAfter(header, time.Now())
		e.cut = e.Status == http.StatusBadGateway || e.Status == http.StatusServiceUnavailable
	}
}

// MostRepetitions is how often a run sends one creation after the first time.
const MostRepetitions = 2

// MaySendAgain reports whether a caller who has looked this long for what a failed creation
// did may send it again: after a connection that was cut, a 502 or a 503. A 500 may come
// again for the same request, and one that timed out may still be at work.
func (c *Client) MaySendAgain(err error, repetitions int, looked time.Duration) bool {
	var failure *Error
	return errors.As(err, &failure) && failure.cut && failure.ambiguous &&
		repetitions < min(c.maxRetries, MostRepetitions) && failure.RetryAfter <= looked
}

// limitedWait is how long a 429 asks to wait: by Retry-After, else by the headers
// of the limit, else by the body; 0 when it does not say.
func limitedWait(header http.Header, body []byte, now time.Time) time.Duration {
	if wait, known := retryAfter(header, now); known {
		return max(wait, shortestLimitedWait)
	}
	inBody := bodyWait(header, body, now)
	remaining, reset := pace.Window(header, now)
	switch {
	case remaining > 0 && inBody > 0:
		return inBody // Not this limit but the endpoint's own.
	case remaining > 0:
		return pace.PerSecondPause
	case reset.After(now) && (inBody == 0 || reset.Before(now.Add(pace.LongestWait))):
		return min(reset.Sub(now)+pace.AfterReset, longestAsked)
	}
	return inBody
}

// retryAfter reads the header of that name: seconds, or an HTTP date.
func retryAfter(header http.Header, now time.Time) (time.Duration, bool) {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if value == "" {
		return 0, false
	}
	if seconds, ok := secondsIn(value); ok {
		return seconds, true
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(pace.Shifted(at, header, now).Sub(now), 0), true
	}
	return 0, false
}

// bodyWait reads the retryAfterSeconds of a body, else its nextAllowedSyncAt (specification: HTTP errors).
func bodyWait(header http.Header, body []byte, now time.Time) time.Duration {
	members := membersOf(body)
	if wait, ok := secondsIn(textOf(members["retryAfterSeconds"])); ok {
		return wait
	}
	at := textOf(members["nextAllowedSyncAt"])
	for _, hours := range companyZones {
		next, ok := ParseTimeIn(at, time.FixedZone("", hours*60*60))
		if wait := pace.Shifted(next, header, now).Sub(now); ok && wait > 0 {
			return min(wait, longestAsked)
		}
	}
	return 0
}

// companyZones are the hours from UTC of São Paulo, Amazonas and Acre. A time without an
// offset is in the zone of the company, which is not known: the first where it lies ahead.
var companyZones = []int{-3, -4, -5}

func secondsIn(s string) (time.Duration, bool) {
	seconds, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(seconds >= 0) {
		return 0, false
	}
	return time.Duration(min(seconds, longestAsked.Seconds()) * float64(time.Second)), true
}
