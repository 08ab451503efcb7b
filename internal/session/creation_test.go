package session

import (
	"bytes"
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
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
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

// aSession is of a process of its own. Its transport cuts each request off.
func aSession(t *testing.T) *Session {
	t.Helper()
	client, err := einvoice.New(einvoice.Config{
		BaseURL: "http://localhost/v1", APIKey: "key", MaxRetries: 1,
		Wrap: func(http.RoundTripper) http.RoundTripper { return cutting{} },
	})
	expect.NoError(t, err)
	return &Session{Client: client, of: &process{clock: poll.RealTime}}
}

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
	return listed("federal_tax_number", func(yield func(*einvoice.Customer, error) bool) {
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
	})
}

// listed is a kind of customers with this list.
func listed(key string, list iter.Seq2[*einvoice.Customer, error]) *Kind[einvoice.Customer] {
	return &Kind[einvoice.Customer]{
		Kind: einvoice.KindCustomer, Key: key, ID: func(held *einvoice.Customer) einvoice.Text { return held.ID },
		List: func(*einvoice.Client, context.Context) iter.Seq2[*einvoice.Customer, error] { return list },
	}
}

// refusal is an answer of the service.
func refusal(status int) error { return &einvoice.Error{Status: status, Err: einvoice.ErrBadRequest} }

// Each customer whose id begins with an a is like the new one.
func TestCreateNamed(t *testing.T) {
	t.Parallel()
	failures := map[string]error{
		"refused 400": refusal(400), "refused 409": refusal(409), "refused 422": refusal(422),
		"refused 400 for its number": &einvoice.Error{
			Status: 400, Err: einvoice.ErrBadRequest,
			Messages: []einvoice.FieldMessage{{Path: "federalTaxNumber", Message: "It is taken."}},
		},
		"late": fmt.Errorf("late: %w", einvoice.ErrAmbiguous),
	}
	broken := map[string]error{
		"no access": errors.New("no access"), "no list": &einvoice.Error{Missing: "list_customers", Err: einvoice.ErrMissing},
	}
	for name, tt := range rows.Read[map[string]struct {
		Answers        []string          // of each request: a failure, a cut connection, or the id of what was made
		Shows          map[string]string // the list, by ids, after a time
		Broken         string            // the list
		Unique         bool
		Claimed, Taken einvoice.Text // by this process; by an equal block while this one was on its way
		ID             string        // of what is created, "" for none
		Adopted        bool
		Says           string // in order, apart by two dots
	}](t, "create_named.json") {
		rows.Case(t, name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := aSession(t), &customers{shows: map[string]time.Duration{}, begun: time.Now(), broken: broken[tt.Broken]}
				for id, lag := range tt.Shows {
					c.shows[id], _ = time.ParseDuration(lag)
				}
				if tt.Claimed != "" {
					s.claim(tt.Claimed, creates)
				}
				isLike := func(held *einvoice.Customer) bool { return strings.HasPrefix(string(held.ID), "a") }
				sent := 0
				object, isAdopted, diags := CreateNamed(t.Context(), s, c.kind(), Creation[einvoice.Customer]{
					What: text.Of("cause", text.With{"error": "a1"}), Matches: isLike, Answers: isLike, Unique: tt.Unique,
					Send: func(ctx context.Context) (*einvoice.Customer, error) {
						answer := tt.Answers[min(sent, len(tt.Answers)-1)]
						sent++
						switch err, isError := failures[answer]; {
						case isError:
							return nil, err
						case answer == "cut":
							return s.Client.CreateCustomer(ctx, einvoice.Customer{Name: "made"}, nil)
						}
						s.claim(tt.Taken, adopts)
						return &einvoice.Customer{ID: einvoice.Text(answer)}, nil
					},
				}, nil)
				id := ""
				if object != nil {
					id = string(object.ID)
				}
				if id != tt.ID || isAdopted != tt.Adopted || diags.HasError() != (tt.ID == "") || sent != len(tt.Answers) {
					t.Errorf("it ends with %q, adopted: %t, after %d requests, and says %v", id, isAdopted, sent, diags)
				}
				said := ""
				for _, d := range diags {
					said += d.Summary() + "\n" + d.Detail() + "\n"
				}
				for part := range strings.SplitSeq(tt.Says, "..") {
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

// A person who reads the log finds there what the progress tells.
func TestAction_logsALongWait(t *testing.T) {
	t.Parallel()
	waits := &Action[struct{}]{Session: aSession(t), Perform: func(ctx context.Context, _ *Invocation, _ *struct{}) diag.Diagnostics {
		(&poll.Wait{Why: "wait.record"}).Pauses(ctx, time.Minute, 0)
		return nil
	}}
	var logged bytes.Buffer
	var told []string
	form := schema.Schema{}
	waits.Invoke(tflogtest.RootLogger(t.Context(), &logged), action.InvokeRequest{Config: tfsdk.Config{
		Schema: form, Raw: tftypes.NewValue(form.Type().TerraformType(t.Context()), map[string]tftypes.Value{}),
	}}, &action.InvokeResponse{SendProgress: func(event action.InvokeProgressEvent) { told = append(told, event.Message) }})
	if len(told) != 1 || !strings.Contains(logged.String(), told[0]) {
		t.Errorf("it tells %q and logs %s", told, logged.String())
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

func TestListing_readsAsManyAsTheLimit(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Entries      int
		OnlyEven     bool
		Limit        *int64
		IsUnlimited  bool // without a limit
		Want         int
		IsCut, Fails bool
	}](t, "listing_reads_as_many_as_the_limit.json") {
		listing := Listing[int, int]{
			Plural: "numbers", Limit: types.Int64PointerValue(test.Limit), Model: func(n *int) int { return *n },
			Entries: func(yield func(*int, error) bool) {
				for n := 0; n < test.Entries && yield(&n, nil); n++ {
				}
			},
		}
		if test.OnlyEven {
			listing.Matches = func(n *int) bool { return *n%2 == 0 }
		}
		if test.IsUnlimited {
			listing.Default = math.MaxInt64
		}
		models, diags := listing.Read(t.Context())
		fails := diags.HasError()
		want := []any{test.Want, test.Fails, test.Fails, test.IsCut}
		expect.Same(t, want, []any{len(models), models == nil, fails, len(diags) > 0 && !fails}, "%s: %v", name, diags)
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
	return listed("name", func(yield func(*einvoice.Customer, error) bool) {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, held := range r.held {
			if !time.Now().Before(held.shows) && !yield(&held.Customer, nil) {
				return
			}
		}
	})
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
