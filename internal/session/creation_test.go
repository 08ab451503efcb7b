package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
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
	expect.NoError(t, err)
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
		taken   string // by an equal block whose answer was lost, while this one was on its way

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
		"answered, and adopted by an equal block": {
			answers: []any{"a1"}, taken: "a1", shows: map[string]time.Duration{"a1": 0, "a2": time.Second}, id: "a2", adopted: true, says: "Adopted a1",
		},
		"answered, and the only one is adopted by an equal block": {
			answers: []any{"a1"}, taken: "a1", unique: true, shows: map[string]time.Duration{"a1": 0}, says: "answered with another object: a1..Look at a1",
		},
		"answered with another one, and found": {answers: []any{"b1"}, shows: map[string]time.Duration{"a1": 0}, id: "a1", adopted: true, says: "Adopted a1"},
		"answered with another one alone":      {answers: []any{"b1"}, unique: true, says: "answered with another object: a1..another customer, b1..Look at b1"},
	} {
		rows.Case(t, name, func(t *testing.T) {
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
							s.claim(einvoice.Text(tt.taken), adopts)
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
		if s.wroteRecently(t.Context(), private) {
			t.Error("what was not written is written now")
		}
		s.NoteWrite(t.Context(), private)
		if !s.wroteRecently(t.Context(), private) {
			t.Error("what was written is not written now")
		}
		<-time.After(s.Patience())
		if s.wroteRecently(t.Context(), private) || len(private[writtenKey]) == 0 { // Dropping it would be a change to a refresh.
			t.Error("it lasts for ever, or its note does not")
		}
	})
}

// A CLI that is gone takes no progress, and the framework would wait for it.
func TestProgress_waitsForNobodyAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	gone := make(chan struct{})
	defer close(gone)
	report := progress(ctx, &action.InvokeResponse{SendProgress: func(action.InvokeProgressEvent) {
		interrupt()
		<-gone
	}})
	report(text.Of("cause", text.With{"error": "Waiting."})) // It returns, or the test runs out of time.
	if ctx.Err() == nil {
		t.Error("the line was taken")
	}
}

// An import has made a state of an id alone. Looking at it changes nothing: the id names the record
// of the journal afterwards, and stays in state where a list lags.
func TestIsImported(t *testing.T) {
	t.Parallel()
	attributes := schema.Schema{Attributes: map[string]schema.Attribute{
		"id": schema.StringAttribute{Computed: true}, "name": schema.StringAttribute{Optional: true},
	}}
	form := attributes.Type().TerraformType(t.Context())
	for name, want := range map[any]bool{nil: true, "Padaria": false} {
		raw := tftypes.NewValue(form, map[string]tftypes.Value{
			"id": tftypes.NewValue(tftypes.String, "1"), "name": tftypes.NewValue(tftypes.String, name),
		})
		state := tfsdk.State{Schema: attributes, Raw: raw}
		before := raw.Copy()
		expect.Is(t, isImported(state), want, "%v: imported", name)
		if !state.Raw.Equal(before) {
			t.Errorf("%v: the state is %v, was %v", name, state.Raw, before)
		}
	}
}

// numbers is a list of so many entries.
func numbers(count int) iter.Seq2[*int, error] {
	return func(yield func(*int, error) bool) {
		for n := range count {
			if !yield(&n, nil) {
				return
			}
		}
	}
}

func TestListing_readsAsManyAsTheLimit(t *testing.T) {
	t.Parallel()
	even := func(n *int) bool { return *n%2 == 0 }
	for name, test := range map[string]struct {
		entries int
		matches func(*int) bool
		limit   types.Int64
		usual   int64
		want    int // -1 for an error
		cut     bool
	}{
		"none":                          {limit: types.Int64Null(), want: 0},
		"as many as without a limit":    {entries: 5000, limit: types.Int64Null(), want: 5000},
		"one more":                      {entries: 5001, limit: types.Int64Null(), want: -1},
		"as many as the limit":          {entries: 3, limit: types.Int64Value(3), want: 3},
		"one more than the limit":       {entries: 4, limit: types.Int64Value(3), want: 3, cut: true},
		"a limit above the usual one":   {entries: 5001, limit: types.Int64Value(6000), want: 5001},
		"only what matches counts":      {entries: 6, matches: even, limit: types.Int64Value(3), want: 3},
		"a list without a limit":        {entries: 6000, limit: types.Int64Null(), usual: math.MaxInt64, want: 6000},
		"a limit of a list without one": {entries: 4, limit: types.Int64Value(3), usual: math.MaxInt64, want: 3, cut: true},
		"one more that matches":         {entries: 9, matches: even, limit: types.Int64Value(3), want: 3, cut: true},
	} {
		rows.Case(t, name, func(t *testing.T) {
			listing := Listing[int, int]{
				Plural: "numbers", Entries: numbers(test.entries), Matches: test.matches, Limit: test.limit, Default: test.usual,
				Model: func(n *int) int { return *n },
			}
			models, diags := listing.Read(t.Context())
			if diags.HasError() != (test.want < 0) || (models == nil) != (test.want < 0) {
				t.Fatalf("read %d, %v; want %d", len(models), diags, test.want)
			}
			if cut := len(diags) > 0 && !diags.HasError(); cut != test.cut {
				t.Errorf("it says %v", diags)
			}
			if test.want >= 0 && len(models) != test.want {
				t.Errorf("read %d, want %d", len(models), test.want)
			}
		})
	}
}

// registry is a service of customers. Its list shows an object once its lag is over.
type registry struct {
	mu      sync.Mutex
	held    []registered
	outcome map[einvoice.Text][]string // what becomes of the next requests for a name
	refuses bool                       // a second object of a name
}

type registered struct {
	einvoice.Customer
	shows time.Time
}

func (r *registry) add(name einvoice.Text, lag time.Duration) einvoice.Customer {
	made := einvoice.Customer{ID: einvoice.Text(fmt.Sprint("id", len(r.held)+1)), Name: name}
	r.held = append(r.held, registered{made, time.Now().Add(lag)})
	return made
}

func (r *registry) count(name einvoice.Text) (n int) {
	for _, held := range r.held {
		if held.Name == name {
			n++
		}
	}
	return n
}

func (r *registry) kind() *Kind[einvoice.Customer] {
	return &Kind[einvoice.Customer]{
		Kind: einvoice.KindCustomer, Key: "name", ID: func(held *einvoice.Customer) einvoice.Text { return held.ID },
		List: func(*einvoice.Client, context.Context) iter.Seq2[*einvoice.Customer, error] {
			return func(yield func(*einvoice.Customer, error) bool) {
				r.mu.Lock()
				defer r.mu.Unlock()
				for _, held := range r.held {
					if !time.Now().Before(held.shows) && !yield(&held.Customer, nil) {
						return
					}
				}
			}
		},
	}
}

// send is one request for a customer. Its outcome is what the service does with it, and what its answer is.
func (r *registry) send(ctx context.Context, s *Session, name einvoice.Text, lag time.Duration) (*einvoice.Customer, error) {
	r.mu.Lock()
	outcome := "answered"
	if left := r.outcome[name]; len(left) > 0 {
		outcome, r.outcome[name] = left[0], left[1:]
	}
	isRefused := outcome == "refused" || r.refuses && r.count(name) > 0
	var made einvoice.Customer
	if !isRefused && outcome != "cut before" {
		made = r.add(name, lag)
	}
	r.mu.Unlock()
	switch {
	case outcome == "cut before", outcome == "cut after":
		return s.Client.CreateCustomer(ctx, einvoice.Customer{Name: name}, nil) // Its transport cuts each request off.
	case isRefused:
		return nil, refusal(http.StatusConflict)
	}
	return &made, nil
}

// creations are blocks that each create a customer at the same time.
type creations struct {
	names    []einvoice.Text            // that the blocks want
	before   []einvoice.Text            // that exist
	outcomes map[einvoice.Text][]string // of the requests for a name
	lag      time.Duration
	unique   bool // the name
	refuses  bool // the service, a second object of a name
}

// play returns what went wrong, "" for nothing.
func (c creations) play(t *testing.T) (wrong string) {
	s, service := aSession(t), &registry{outcome: maps.Clone(c.outcomes), refuses: c.refuses}
	may := map[einvoice.Text]int{}
	for _, name := range c.before {
		may[name]++
		service.add(name, 0)
	}
	var blocks sync.WaitGroup
	objects := make([]*einvoice.Customer, len(c.names))
	for n, name := range c.names {
		may[name]++
		blocks.Go(func() {
			isSame := func(held *einvoice.Customer) bool { return held.Name == name }
			objects[n], _, _ = CreateNamed(t.Context(), s, service.kind(), Creation[einvoice.Customer]{
				What: text.Of("cause", text.With{"error": string(name)}), Matches: isSame, Answers: isSame, Unique: c.unique,
				Send: func(ctx context.Context) (*einvoice.Customer, error) { return service.send(ctx, s, name, c.lag) },
			}, nil)
		})
	}
	blocks.Wait()
	holders := map[einvoice.Text]bool{}
	for n, object := range objects {
		switch {
		case object == nil:
		case object.Name != c.names[n], holders[object.ID]:
			return fmt.Sprintf("block %d (%s) has %s, which is not its own", n, c.names[n], object.ID)
		default:
			holders[object.ID] = true
		}
	}
	for name, most := range may {
		if made := service.count(name); made > most {
			return fmt.Sprintf("there are %d of %s, and may be %d", made, name, most)
		}
	}
	return ""
}

// However responses are lost and lists lag, no more objects are made than blocks want, no two blocks have one object, and
// none has an object of another name.
func TestModel_createsOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.SampledFrom([]einvoice.Text{"a", "b"})
		outcome := rapid.SampledFrom([]string{"answered", "cut before", "cut after", "refused"})
		c := creations{
			names:    rapid.SliceOfN(name, 1, 3).Draw(r, "blocks"),
			before:   rapid.SliceOfNDistinct(name, 0, 1, rapid.ID).Draw(r, "before"),
			outcomes: rapid.MapOf(name, rapid.SliceOfN(outcome, 1, 4)).Draw(r, "outcomes"),
			lag:      time.Duration(rapid.SampledFrom([]int{0, 4, 19}).Draw(r, "lag")) * time.Second,
			unique:   rapid.Bool().Draw(r, "unique"),
			refuses:  rapid.Bool().Draw(r, "refuses a second"),
		}
		wrong := ""
		synctest.Test(t, func(t *testing.T) { wrong = c.play(t) })
		if wrong != "" {
			r.Fatal(wrong)
		}
	})
}
