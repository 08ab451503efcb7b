package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

const (
	// journalKindCreation keeps what was created until a state was seen to hold it,
	// one entry for each request: objects that are alike are in one.
	journalKindCreation = "creation"

	// creationKey is private data of an object that was made here and not refreshed
	// since: the hash of the request.
	creationKey = "creation"

	// mostCreations is how many objects an entry keeps, the latest ones.
	mostCreations = 100
)

// began tells what an earlier run has created from what this one has, or another
// that goes on at the same time: two blocks that are alike in one configuration are
// two objects, and each provider block of it has a process of its own.
var began = time.Now()

// run is the CLI: all processes of one run have it for a parent, and one of them
// may begin when another has created something already. A number that comes again
// in a later run, as in a container, is told from it by the time.
var run = os.Getppid()

const sameRun = time.Minute

// Creation is a creation that nothing but its values names. The service would make
// the same object again, and the CLI may be killed after the answer and before it
// writes its state. So the journal on this machine remembers the object until a
// refresh or a plan has seen it in a state, and until then the same creation in
// another run takes it over.
type Creation struct {
	client *einvoice.Client
	store  journal.Store
	hash   string
	began  time.Time
	run    int
}

// made is an object in an entry.
type made struct {
	ID string    `json:"id"`
	At time.Time `json:"at"` // when it was made, or taken over

	Run int `json:"run"` // by which CLI
}

type privateData interface {
	PrivateState
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// Creation is that of an object with these fields.
func (s *Session) Creation(kind string, fields any, extra json.RawMessage) *Creation {
	request, _ := json.Marshal([]any{kind, fields, extra}) // It is sent as JSON too.
	return &Creation{client: s.Client, store: s.Store, hash: attribute.HashOfText(string(request)), began: began, run: run}
}

// Made remembers the object.
func (c *Creation) Made(ctx context.Context, id einvoice.Text, private privateData) diag.Diagnostics {
	c.change(ctx, func(objects []made) []made {
		return append(without(objects, string(id)), made{ID: string(id), At: time.Now().UTC(), Run: c.run})
	})
	return private.SetKey(ctx, creationKey, fmt.Appendf(nil, "%q", c.hash))
}

// TakeOver returns an object that the same creation has made in an earlier run and
// that no state was seen to hold, nil where there is none. what reads "customer
// 11222333000181 (Padaria)".
func TakeOver[T any](ctx context.Context, c *Creation, kind, what string, read func(context.Context, string) (*T, error)) (*T, diag.Diagnostics) {
	for {
		id := c.claim(ctx)
		if id == "" {
			return nil, nil
		}
		object, err := read(ctx, id)
		if err == nil {
			return object, diag.Diagnostics{diag.NewWarningDiagnostic("Took over "+what, fmt.Sprintf("The same %s was created before as %s, in a run that ended before it could write its state. "+
				"No second one was created. If another configuration on this machine manages %s, take it out of one of the two with a `removed` block.", kind, id, id))}
		}
		if !errors.Is(err, einvoice.ErrNotFound) {
			return nil, message.APIError(ctx, "look for the "+kind+" of an earlier run", err, nil)
		}
		c.change(ctx, func(objects []made) []made { return without(objects, id) })
	}
}

// isEarlier tells that an object was made by an earlier run.
func (c *Creation) isEarlier(m made) bool {
	return m.At.Before(c.began) && (m.Run != c.run || c.began.Sub(m.At) > sameRun)
}

// claim takes an object of an earlier run for this one.
func (c *Creation) claim(ctx context.Context) (id string) {
	c.change(ctx, func(objects []made) []made {
		i := slices.IndexFunc(objects, c.isEarlier)
		if i >= 0 {
			id, objects[i].At, objects[i].Run = objects[i].ID, time.Now().UTC(), c.run
		}
		return objects
	})
	return id
}

// ConfirmCreation tells the journal that a state holds the object.
func (s *Session) ConfirmCreation(ctx context.Context, state tfsdk.State, private privateData) diag.Diagnostics {
	if s.Deferred() || state.Raw.IsNull() {
		return nil
	}
	var id types.String
	var hash string
	note, diags := private.GetKey(ctx, creationKey)
	diags.Append(state.GetAttribute(ctx, path.Root("id"), &id)...)
	if diags.HasError() || json.Unmarshal(note, &hash) != nil {
		return diags // Nothing was made here, or it was confirmed.
	}
	c := &Creation{client: s.Client, store: s.Store, hash: hash}
	c.change(ctx, func(objects []made) []made { return without(objects, id.ValueString()) })
	return private.SetKey(ctx, creationKey, nil)
}

func without(objects []made, id string) []made {
	return slices.DeleteFunc(objects, func(m made) bool { return strings.EqualFold(m.ID, id) })
}

// change changes what the journal has of this creation. Where it has nothing and
// can keep nothing, all goes on: the object itself is made or found.
func (c *Creation) change(ctx context.Context, change func([]made) []made) {
	entry, err := c.store.Entry(ctx, journalKindCreation, c.client.Fingerprint(), c.hash)
	if err != nil {
		return
	}
	defer func() { _ = entry.Close() }()
	var before []made
	_ = json.Unmarshal([]byte(entry.State().Note), &before) // What cannot be read is not there.
	after := change(slices.Clone(before))
	if slices.Equal(before, after) {
		return
	}
	if len(after) == 0 {
		_ = entry.Forget()
		return
	}
	after = after[max(0, len(after)-mostCreations):]
	note, _ := json.Marshal(after) // Texts only.
	_ = entry.Keep(after[len(after)-1].ID, string(note))
}
