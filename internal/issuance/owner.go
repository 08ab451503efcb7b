package issuance

import (
	"context"
	"encoding/json"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// privateOwner has the company that the record of an invoice or order was written under. A destroy has no configuration,
// and the issuer in a state is always filled: neither says what the configuration had named.
const privateOwner = "owner"

// Owner is the company that the record of an object was written under; "" for one that no run here has written.
func Owner(ctx context.Context, private session.PrivateState) (owner string) {
	raw, _ := private.GetKey(ctx, privateOwner)
	_ = json.Unmarshal(raw, &owner) // "" where nothing was noted.
	return owner
}
