package session

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

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
