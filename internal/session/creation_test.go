package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// privateMap is the private data of an object.
type privateMap map[string][]byte

func (p privateMap) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) {
	return p[key], nil
}

func (p privateMap) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	p[key] = value
	return nil
}

// aSession is of a process of its own.
func aSession(t *testing.T) *Session {
	t.Helper()
	client, err := einvoice.New(einvoice.Config{BaseURL: "http://localhost/v1", APIKey: "key", MaxRetries: 1, Wrap: answering})
	if err != nil {
		t.Fatal(err)
	}
	return &Session{Client: client, of: &process{clock: poll.RealTime}}
}

// answering is a transport that cuts each POST off, and has no answer to anything else.
func answering(http.RoundTripper) http.RoundTripper { return cutting{} }

type cutting struct{}

func (cutting) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = r.Body.Read(make([]byte, 1)) // It was sent.
	}
	return nil, errors.New("connection reset by peer")
}

// customers is a list of customers that shows what was made once the lag is over.
type customers struct {
	shows  map[string]time.Duration // by id, since the beginning
	begun  time.Time
	broken error // of the list
}

func (c *customers) kind() *Kind[einvoice.Customer] {
	return &Kind[einvoice.Customer]{
		Kind: einvoice.KindCustomer, Key: "federal_tax_number", ID: func(held *einvoice.Customer) einvoice.Text { return held.ID },
		List: func(*einvoice.Client, context.Context) iter.Seq2[*einvoice.Customer, error] {
			return func(yield func(*einvoice.Customer, error) bool) {
				if c.broken != nil {
					yield(nil, c.broken)
					return
				}
				for _, id := range []string{"a1", "a2", "b1"} {
					lag, isMade := c.shows[id]
					if isMade && time.Since(c.begun) >= lag && !yield(&einvoice.Customer{ID: einvoice.Text(id)}, nil) {
						return
					}
				}
			}
		},
	}
}

// refusal is an answer of the service.
func refusal(status int) error { return &einvoice.Error{Status: status, Err: einvoice.ErrBadRequest} }

// Each customer whose id begins with an a is like the new one.
func TestCreateNamed(t *testing.T) {
	t.Parallel()
	const made = "made"
	cut := errors.New("cut") // It stands for what the client makes of a connection that is cut.
	aboutNumber := &einvoice.Error{
		Status: 400, Err: einvoice.ErrBadRequest, Messages: []einvoice.FieldMessage{{Path: "federalTaxNumber", Message: "It is taken."}},
	}
	late := fmt.Errorf("late: %w", einvoice.ErrAmbiguous)
	for name, tt := range map[string]struct {
		answers []any // of each request: an error, or the id of what was made
		shows   map[string]time.Duration
		broken  error
		unique  bool
		claimed string // by this process

		id      string // of what is created, "" for none
		adopted bool
		says    string // in order, apart by two dots
	}{
		"answered":                           {answers: []any{"a1"}, id: "a1"},
		"refused":                            {answers: []any{refusal(400)}, says: "Cannot create customer"},
		"refused, and none like it is there": {answers: []any{refusal(422)}, says: "Cannot create customer"},
		"refused for its number, as it exists": {
			answers: []any{aboutNumber}, shows: map[string]time.Duration{"a1": 0}, says: `A1 already exists..id = "a1"`,
		},
		"refused for its number, which is wrong": {answers: []any{aboutNumber}, says: "Cannot create customer"},
		"refused, as it exists":                  {answers: []any{refusal(422)}, shows: map[string]time.Duration{"a1": 0}, says: `A1 already exists..id = "a1"`},
		"a conflict with nobody":                 {answers: []any{refusal(409)}, says: `A1 already exists..id = "ID"`},
		"a conflict with two": {
			answers: []any{refusal(409)}, shows: map[string]time.Duration{"a1": 0, "a2": 0}, says: "already exists..has 2 that match: a1, a2",
		},
		"lost, and one is there":      {answers: []any{late}, shows: map[string]time.Duration{"a1": 0, "b1": 0}, id: "a1", adopted: true, says: "Adopted a1..Nothing was sent a second time"},
		"lost, and one shows later":   {answers: []any{late}, shows: map[string]time.Duration{"a1": 19 * time.Second}, id: "a1", adopted: true, says: "Adopted a1"},
		"lost, and several are there": {answers: []any{late}, shows: map[string]time.Duration{"a1": 0, "a2": 0}, unique: true, says: "lost: a1..lists 2 that match: a1, a2..import"},
		"lost, and one of two is another block's": {
			answers: []any{late}, shows: map[string]time.Duration{"a1": 0, "a2": 0}, claimed: "A1", id: "a2", adopted: true, says: "Adopted a1",
		},
		"lost, and the only one is another block's": {answers: []any{late}, shows: map[string]time.Duration{"a1": 0}, claimed: "a1", says: "lost: a1..does not list such a customer"},
		"cut off, unique and nowhere":               {answers: []any{cut, "a1"}, unique: true, id: "a1"},
		"cut off twice":                             {answers: []any{cut, cut}, unique: true, says: "lost: a1..sent 2 times..Run apply again"},
		"cut off, sent again and refused":           {answers: []any{cut, refusal(400)}, unique: true, says: "Cannot create customer"},
		"cut off, not unique and nowhere":           {answers: []any{cut}, says: "lost: a1..does not list such a customer..Nothing was sent a second time"},
		"late, unique and nowhere":                  {answers: []any{late}, unique: true, says: "lost: a1..does not list such a customer..Run apply again"},
		"cut off, and the list cannot be read":      {answers: []any{cut}, unique: true, broken: errors.New("no access"), says: "lost: a1..Looking it up failed too: no access..at the service"},
		"cut off, and there is no list": {
			answers: []any{cut}, unique: true, broken: &einvoice.Error{Missing: "list_customers", Err: einvoice.ErrMissing}, says: "no list to look it up in..back office..`list_customers`",
		},
		"answered with another one, and found": {answers: []any{"b1"}, shows: map[string]time.Duration{"a1": 0}, id: "a1", adopted: true, says: "Adopted a1"},
		"answered with another one alone":      {answers: []any{"b1"}, unique: true, says: "answered with another object: a1..another customer, b1..Look at b1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, c := aSession(t), &customers{shows: tt.shows, begun: time.Now(), broken: tt.broken}
				if tt.claimed != "" {
					s.claim(einvoice.Text(tt.claimed), creates)
				}
				isLike := func(held *einvoice.Customer) bool { return strings.HasPrefix(string(held.ID), "a") }
				sent := 0
				object, isAdopted, diags := CreateNamed(t.Context(), s, c.kind(), Creation[einvoice.Customer]{
					What: text.Of("cause", text.With{"error": "a1"}), Matches: isLike, Answers: isLike, Unique: tt.unique,
					Send: func(ctx context.Context) (*einvoice.Customer, error) {
						answer := tt.answers[min(sent, len(tt.answers)-1)]
						sent++
						switch answer := answer.(type) {
						case string:
							return &einvoice.Customer{ID: einvoice.Text(answer)}, nil
						case error:
							if !errors.Is(answer, cut) {
								return nil, answer
							}
						}
						return s.Client.CreateCustomer(ctx, einvoice.Customer{Name: made}, nil)
					},
				}, nil)
				id := ""
				if object != nil {
					id = string(object.ID)
				}
				if id != tt.id || isAdopted != tt.adopted || diags.HasError() != (tt.id == "") || sent != len(tt.answers) {
					t.Errorf("it ends with %q, adopted: %t, after %d requests, and says %v", id, isAdopted, sent, diags)
				}
				said := ""
				for _, d := range diags {
					said += d.Summary() + "\n" + d.Detail() + "\n"
				}
				for part := range strings.SplitSeq(tt.says, "..") {
					_, rest, isSaid := strings.Cut(said, part)
					if !isSaid {
						t.Errorf("it does not say %q in time: %v", part, diags)
					}
					said = rest
				}
			})
		})
	}
}

// Two equal blocks never get one object, however often it is looked for.
func TestCreateNamed_adoptsAnObjectOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, c := aSession(t), &customers{shows: map[string]time.Duration{"a1": 0}, begun: time.Now()}
		isAny := func(*einvoice.Customer) bool { return true }
		adoptions := make(chan bool)
		for range 2 {
			go func() {
				_, isAdopted, _ := CreateNamed(t.Context(), s, c.kind(), Creation[einvoice.Customer]{
					What: text.Of("cause", text.With{"error": "a1"}), Matches: isAny, Answers: isAny,
					Send: func(context.Context) (*einvoice.Customer, error) { return nil, einvoice.ErrAmbiguous },
				}, nil)
				adoptions <- isAdopted
			}()
		}
		if one, other := <-adoptions, <-adoptions; one == other {
			t.Errorf("both are adopted: %t", one)
		}
	})
}

func TestRefuseExisting(t *testing.T) {
	t.Parallel()
	shown := map[string]time.Duration{"a1": 0}
	for name, tt := range map[string]struct {
		shows   map[string]time.Duration
		broken  error
		claimed einvoice.Text
		says    string
	}{
		"it exists":               {shows: shown, says: `id = "a1"`},
		"it does not exist":       {},
		"this run has deleted it": {shows: shown, claimed: "a1"},
		"the list cannot be read": {broken: errors.New("no access"), says: "No access"},
		"the service has no list": {broken: einvoice.ErrMissing},
	} {
		s, c := aSession(t), &customers{shows: tt.shows, broken: tt.broken}
		s.claim(tt.claimed, deletes)
		diags := RefuseExisting(t.Context(), s, c.kind(), Creation[einvoice.Customer]{
			What: text.Of("cause", text.With{"error": "a1"}), Matches: func(*einvoice.Customer) bool { return true },
		})
		if said := fmt.Sprint(diags); diags.HasError() != (tt.says != "") || !strings.Contains(said, tt.says) {
			t.Errorf("%s: it says %s", name, said)
		}
	}
}

// A list that lags may show an object as it was before a write only until the patience ends.
func TestNoteWrite_endsWithThePatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, private := aSession(t), privateMap{}
		if s.forgetOldWrite(t.Context(), private) {
			t.Error("what was not written is written now")
		}
		s.NoteWrite(t.Context(), private)
		if !s.forgetOldWrite(t.Context(), private) {
			t.Error("what was written is not written now")
		}
		<-time.After(s.Patience())
		if s.forgetOldWrite(t.Context(), private) || len(private[writtenKey]) > 0 {
			t.Error("it lasts for ever")
		}
	})
}
