package engine

// saleNote is what the journal remembers of an invoice beside its id.
type saleNote struct {
	// Digest is of the payload that was sent last. It is empty where the invoice may hold another one: of an import, a
	// cancellation, a creation that a state has confirmed, or while Trust says so.
	Digest string `json:"digest,omitempty"`
	Trust  trust  `json:"trust,omitempty"`
	// Valid is set once a run has ended with it authorized. If the service shows it no more, the tax authority still has it.
	Valid bool `json:"valid,omitempty"`
	// Block names the block of a configuration that has the invoice. A block that leaves must not cancel what another
	// one has adopted.
	Block string `json:"block,omitempty"`
	// Canceling is set while a cancellation is on its way. The record is Sending then.
	Canceling bool `json:"canceling,omitempty"`
}

// trust is what is known of the payload that an invoice holds.
type trust string

const (
	doubtful trust = "doubtful" // it may be another one than was sent last
	adopted  trust = "adopted"  // somebody else has made the draft: it is sent over before it is issued
)

// orderNote is what the journal remembers of an order beside its id.
type orderNote struct {
	Block     string `json:"block,omitempty"`
	Canceling bool   `json:"canceling,omitempty"`
	Valid     bool   `json:"valid,omitempty"` // as that of an invoice, of any of its invoices
	// Unnamed: it was created, and answered with an invoice that does not name the order.
	Unnamed bool `json:"unnamed,omitempty"`
}

// issueNote is what the journal remembers of an explicit issue: a digest of what the order showed when it was asked
// for. What still shows the same is late, or was rejected since.
type issueNote struct {
	Shown string `json:"shown,omitempty"`
}

// blockNote is what the notes of both nouns have.
type blockNote struct {
	Block     string `json:"block,omitempty"`
	Canceling bool   `json:"canceling,omitempty"`
}
