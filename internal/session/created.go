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

	"github.com/google/uuid"
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

	// shortHash is how much of a hash names a request, 96 bits: it lies in the state of
	// each object, all of which a CLI writes again after each change.
	shortHash = 24

	// mostCreations is how many objects an entry keeps of each sort, the latest ones.
	mostCreations = 100
)

// longestChange is how long a change waits for others, who hold an entry for moments.
const longestChange = 10 * time.Second

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
// the same object again, and the provider may be killed before the answer, or the
// CLI after it and before it writes its state. So the journal on this machine
// remembers the creation, then the object, until a refresh or a plan has seen that
// in a state, and until then the same creation in another run takes it over.
type Creation struct {
	client *einvoice.Client
	store  journal.Store
	hash   string
	began  time.Time
	run    int

	note  string // of this creation in the entry, while it is not answered
	fresh bool   // the note is of now, and its creation was not sent yet
}

// creations are what an entry knows of one request.
type creations struct {
	made []made   // what no state was seen to hold
	held []string // ids of what a state was seen to hold: nobody takes them for another
}

// made is an object in an entry, or the note of a creation that was not answered.
type made struct {
	ID   string    `json:"id,omitempty"`
	Note string    `json:"note,omitempty"`
	Sent time.Time `json:"sent,omitzero"` // of a note: when
	At   time.Time `json:"at"`            // when it was made, noted or taken over

	Run int `json:"run"` // by which CLI
}

type privateData interface {
	PrivateState
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// Creation is that of an object with these fields.
func (s *Session) Creation(kind string, fields any, extra json.RawMessage) *Creation {
	request, _ := json.Marshal([]any{kind, fields, extra}) // It is sent as JSON too.
	return &Creation{client: s.Client, store: s.Store, hash: attribute.HashOfText(string(request))[:shortHash], began: began, run: run}
}

// begin notes that the creation is about to be sent. One that was noted while an
// object of an earlier run was looked for needs no second writing.
func (c *Creation) begin(ctx context.Context) {
	if c == nil {
		return
	}
	if !c.fresh {
		c.change(ctx, c.noteIn)
	}
	c.fresh = false
}

// noteIn puts a new note in the place of the former one.
func (c *Creation) noteIn(all *creations) {
	all.forget(c.note)
	now := time.Now().UTC()
	c.note = uuid.NewString()
	all.made = append(all.made, made{Note: c.note, Sent: now, At: now, Run: c.run})
}

// refused takes the note away: the service has made nothing.
func (c *Creation) refused(ctx context.Context) {
	if c != nil {
		c.change(ctx, func(all *creations) { all.forget(c.note) })
	}
}

// Made remembers the object.
func (c *Creation) Made(ctx context.Context, id einvoice.Text, private privateData) diag.Diagnostics {
	c.change(ctx, func(all *creations) { c.is(all, string(id)) })
	return private.SetKey(ctx, creationKey, fmt.Appendf(nil, "%q", c.hash))
}

// is puts the object in the place of the note.
func (c *Creation) is(all *creations, id string) {
	all.forget(c.note)
	all.without(id)
	all.made = append(all.made, made{ID: id, At: time.Now().UTC(), Run: c.run})
}

// take takes one of the objects that may be what this creation has made, and
// returns its index, or -1. Those that the entry knows are others. Where more
// creations wait for an answer than there are objects, that is waited for until the
// last look. several is how many there are where nobody can tell which one it is.
func (c *Creation) take(ctx context.Context, found []einvoice.Text, last bool) (taken, several int) {
	taken, several = 0, len(found) // Where there is no journal, one is it.
	c.change(ctx, func(all *creations) {
		taken, several = -1, 0
		var unknown []int
		for i, id := range found {
			if !all.knows(string(id)) {
				unknown = append(unknown, i)
			}
		}
		waiting := 0
		for _, m := range all.made {
			if m.ID == "" {
				waiting++
			}
		}
		switch {
		case len(unknown) > max(waiting, 1):
			several = len(unknown)
		case len(unknown) > 0 && (last || len(unknown) >= waiting):
			taken = unknown[0]
			c.is(all, string(found[taken]))
		}
	})
	if several > 1 {
		return -1, several
	}
	return taken, 0
}

// TakeOver returns an object that the same creation has made in an earlier run and
// that no state was seen to hold, nil where there is none.
func TakeOver[T any](ctx context.Context, s *Session, c Sending[T], read func(context.Context, string) (*T, error)) (*T, diag.Diagnostics) {
	for {
		m := c.Creation.claim(ctx)
		var object *T
		var several int
		var err error
		switch {
		case m.ID != "":
			object, err = read(ctx, m.ID)
		case m.Note != "":
			object, several, err = c.lookUntil(ctx, m.Sent.Add(s.Patience()))
		default:
			return nil, nil
		}
		switch {
		case errors.Is(err, einvoice.ErrNotFound) && m.ID != "":
			c.Creation.change(ctx, func(all *creations) { all.without(m.ID) })
		case err != nil:
			return nil, message.APIError(ctx, "look for the "+c.Kind+" of an earlier run", err, nil)
		case several > 0:
			return nil, message.Error("Several objects match a lost creation", "An earlier run ended while it created "+c.What+", and "+severalListed(several))
		case object == nil:
			return nil, nil // It was never made: the note is that of the creation that follows.
		default:
			id := c.ID(object)
			return object, diag.Diagnostics{diag.NewWarningDiagnostic("Took over "+c.What, fmt.Sprintf("The same %s was created before as %s, in a run that ended before it could write its state. "+
				"No second one was created. If another configuration on this machine manages %s, take it out of one of the two with a `removed` block.", c.Kind, id, id))}
		}
	}
}

// isEarlier tells that an object was made by an earlier run.
func (c *Creation) isEarlier(m made) bool {
	return m.At.Before(c.began) && (m.Run != c.run || c.began.Sub(m.At) > sameRun)
}

// claim takes an object of an earlier run for this one, or the note of a creation.
// Where there is neither, it notes that the creation is about to be sent.
func (c *Creation) claim(ctx context.Context) (claimed made) {
	c.change(ctx, func(all *creations) {
		i := slices.IndexFunc(all.made, func(m made) bool { return m.ID != "" && c.isEarlier(m) })
		if i < 0 {
			i = slices.IndexFunc(all.made, c.isEarlier)
		}
		if i >= 0 {
			all.made[i].At, all.made[i].Run = time.Now().UTC(), c.run
			claimed = all.made[i]
			c.note, c.fresh = claimed.Note, false
			return
		}
		c.noteIn(all)
		c.fresh = true
	})
	return claimed
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
	c.change(ctx, func(all *creations) {
		all.without(id.ValueString())
		all.held = append(all.held, id.ValueString())
	})
	return private.SetKey(ctx, creationKey, nil)
}

// without takes an object out.
func (all *creations) without(id string) {
	all.made = slices.DeleteFunc(all.made, func(m made) bool { return m.ID != "" && einvoice.SameID(m.ID, id) })
	all.held = slices.DeleteFunc(all.held, func(held string) bool { return einvoice.SameID(held, id) })
}

// forget takes a note out; "" is none.
func (all *creations) forget(note string) {
	all.made = slices.DeleteFunc(all.made, func(m made) bool { return m.ID == "" && m.Note == note })
}

func (all *creations) knows(id string) bool {
	return slices.ContainsFunc(all.held, func(held string) bool { return einvoice.SameID(held, id) }) ||
		slices.ContainsFunc(all.made, func(m made) bool { return einvoice.SameID(m.ID, id) })
}

// noneHeld stands in an entry before the ids of what a state holds.
const noneHeld = "-"

// change changes what the journal has of this creation. Where it has nothing and
// can keep nothing, all goes on: the object itself is made or found.
//
// An interrupt does not keep it from that: what became of a creation is known then,
// and a note that stays costs the next run a search.
func (c *Creation) change(ctx context.Context, change func(*creations)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestChange)
	defer cancel()
	entry, err := c.store.Entry(ctx, journalKindCreation, c.client.Fingerprint(), c.hash)
	if err != nil {
		return
	}
	defer func() { _ = entry.Close() }()
	before := entry.State()
	all := creations{held: strings.Fields(strings.TrimPrefix(before.ID, noneHeld))}
	_ = json.Unmarshal([]byte(before.Note), &all.made) // What cannot be read is not there.
	if !before.Begun.IsZero() {                        // Nothing can be read, so that one was created and perhaps never answered.
		all.made = append(all.made, made{Note: uuid.NewString(), Sent: before.Begun, At: before.Begun})
	}
	change(&all)
	all.made, all.held = latestOf(all.made), latestOf(all.held)
	if len(all.made)+len(all.held) == 0 {
		if before != (journal.State{}) {
			_ = entry.Forget()
		}
		return
	}
	// With nothing but what states hold, it is an entry that may grow old.
	after, note := strings.Join(append([]string{noneHeld}, all.held...), " "), []byte{}
	if len(all.made) > 0 {
		note, _ = json.Marshal(all.made) // Texts and times only.
	}
	if after != before.ID || string(note) != before.Note {
		_ = entry.Keep(after, string(note))
	}
}

func latestOf[T any](all []T) []T { return all[max(0, len(all)-mostCreations):] }
