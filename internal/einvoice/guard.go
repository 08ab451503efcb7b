package einvoice

import "context"

// Guard stands between the permit of the rate limit and the first byte of a request that must happen once. It is asked
// for each attempt anew, also after a 429, with nothing in between.
type Guard interface {
	// Begin records that the request is about to leave. After its error nothing is sent. Nothing is sent either if the
	// first byte would leave later than the request timeout after it.
	Begin(ctx context.Context) error
	// TakeBack records that an attempt was certainly not processed, before a wait such as the one after a 429.
	TakeBack(ctx context.Context)
}
