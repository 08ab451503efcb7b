package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
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

// refusing is a transport that reaches nobody.
type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("nobody is there")
}

// account is an account whose customers are created by several runs on one
// machine, each of which is a process.
type account struct {
	t       *testing.T
	dir     string // of the journal
	session *Session
	began   map[string]time.Time // of each process
	held    map[string]bool      // at the service
	private map[string]privateMap
	posts   int
	lists   int    // how often the list was read
	broken  error  // of each read
	hidden  error  // of the list
	said    string // of the last creation that failed
	died    string // how the provider is killed in its next creation: before or after it is processed
	lost    error  // of the next creation, which is not processed
	deleted string // the id of what a run has deleted, and a list still shows
}

func newAccount(t *testing.T) *account {
	t.Helper()
	client, err := einvoice.New(einvoice.Config{BaseURL: "http://localhost/v1", APIKey: "key", Wrap: func(http.RoundTripper) http.RoundTripper { return refusing{} }})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return &account{t: t, dir: dir, session: &Session{Client: client, Store: journal.OpenFiles(dir), of: &process{clock: poll.RealTime}}, began: map[string]time.Time{}, held: map[string]bool{}, private: map[string]privateMap{}}
}

// create is the creation of one block: it ends with the id of what was made, with a
// plus before one that was made now, or with the error.
func (c *account) create(run, name string) (outcome string) {
	c.t.Helper()
	<-time.After(time.Millisecond) // Nothing happens at the same moment.
	if _, ok := c.began[run]; !ok {
		c.began[run] = time.Now()
	}
	session := *c.session
	session.of = &process{clock: poll.RealTime, run: run, began: c.began[run]}
	session.of.claimed.Store(einvoice.Text(c.deleted), true)
	defer func() {
		if recover() != nil {
			outcome = "killed"
		}
	}()
	private := privateMap{}
	made, diags := Create(c.t.Context(), &session, c.kind(), c.creation(name), private)
	if made.Err != nil || diags.HasError() {
		c.said = fmt.Sprint(diags)
		return "error"
	}
	id := string(made.Object.ID)
	c.private[id] = private
	if !made.Found {
		return "+" + id
	}
	if len(diags) != 1 || !strings.Contains(diags[0].Detail(), id) && !strings.Contains(diags[0].Summary(), "Adopted") {
		c.t.Errorf("%s is taken over, and what is said is %v", id, diags)
	}
	return id
}

// kind is customers that are read and listed without any request.
func (c *account) kind() *Kind[einvoice.Customer] {
	kind := *customers
	kind.Get = func(_ *einvoice.Client, _ context.Context, id string) (*einvoice.Customer, error) {
		if c.broken != nil {
			return nil, c.broken
		}
		if !c.held[id] {
			return nil, einvoice.ErrNotFound
		}
		return &einvoice.Customer{ID: einvoice.Text(id)}, nil
	}
	kind.List = func(*einvoice.Client, context.Context) iter.Seq2[*einvoice.Customer, error] {
		return func(yield func(*einvoice.Customer, error) bool) {
			if c.lists++; c.hidden != nil {
				yield(nil, c.hidden)
				return
			}
			for _, id := range slices.Sorted(maps.Keys(c.held)) {
				if !yield(&einvoice.Customer{ID: einvoice.Text(id)}, nil) {
					return
				}
			}
		}
	}
	return &kind
}

// creation is that of a customer whose name begins its id. The first letter of the name is the key.
func (c *account) creation(name string) Creation[einvoice.Customer] {
	nameOf := func(held *einvoice.Customer) string { return strings.TrimRight(string(held.ID), "0123456789") }
	return Creation[einvoice.Customer]{
		What: name, Fields: name[:1], Apart: name[1:],
		Send: func(ctx context.Context, client *einvoice.Client, guard einvoice.Guard) (*einvoice.Customer, error) {
			return c.sent(ctx, client, guard, name)
		},
		Match:        func(held *einvoice.Customer) bool { return nameOf(held) == name },
		MatchEarlier: func(held *einvoice.Customer, apart string) bool { return nameOf(held) == name[:1]+apart },
	}
}

// sent is a request of which the transport never gives an answer.
func (c *account) sent(ctx context.Context, client *einvoice.Client, guard einvoice.Guard, name string) (*einvoice.Customer, error) {
	// It fails, but only after the record was swapped.
	if _, err := client.CreateCustomer(ctx, einvoice.Customer{}, nil, guard); once.IsUnsent(err) {
		return nil, err
	}
	died, lost := c.died, c.lost
	c.died, c.lost = "", nil
	if died == "before" {
		panic("killed")
	}
	if lost != nil {
		return nil, lost
	}
	c.posts++
	made := &einvoice.Customer{ID: einvoice.Text(fmt.Sprintf("%s%d", name, c.posts))}
	c.held[string(made.ID)] = true
	if died == "after" {
		panic("killed")
	}
	return made, nil
}

// play takes steps, and returns what each creation ends with. "1a" creates a in run 1,
// and "1a-before" is killed before the service has processed that.
func (c *account) play(steps string) string {
	c.t.Helper()
	var outcomes []string
	for step := range strings.FieldsSeq(steps) {
		what, fate, _ := strings.Cut(step, "-")
		switch what {
		case "damage":
			c.damage()
		case "refresh":
			c.refresh("a1")
		case "delete":
			c.deleted = "a1"
		case "gone":
			delete(c.held, "a1")
		case "another":
			c.held["a9"] = true
		case "broken":
			c.broken = errors.New("no")
		case "mended":
			c.broken = nil
		default:
			c.died, c.lost = "", map[string]error{"refused": errors.New("refused"), "lost": einvoice.ErrAmbiguous}[fate]
			if c.lost == nil {
				c.died = fate
			}
			outcomes = append(outcomes, c.create(what[:1], what[1:]))
		}
	}
	return strings.Join(outcomes, " ")
}

// refresh is a refresh or a plan of a state that holds an object.
func (c *account) refresh(id string) {
	c.t.Helper()
	if diags := c.session.ConfirmCreation(c.t.Context(), stateOf(id), c.private[id]); diags.HasError() {
		c.t.Error(diags)
	}
}

// stateOf is a state that holds an object, with another spelling of its id.
func stateOf(id string) tfsdk.State {
	object := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String}}
	return tfsdk.State{
		Schema: schema.Schema{Attributes: map[string]schema.Attribute{"id": schema.StringAttribute{Computed: true}}},
		Raw:    tftypes.NewValue(object, map[string]tftypes.Value{"id": tftypes.NewValue(tftypes.String, strings.ToUpper(id))}),
	}
}

// damage leaves of each entry what nobody can read.
func (c *account) damage() {
	c.t.Helper()
	entries, err := filepath.Glob(filepath.Join(c.dir, "once", "creation-*.json"))
	if err != nil || len(entries) == 0 {
		c.t.Fatalf("there are no entries: %v", err)
	}
	for _, entry := range entries {
		if err := errors.Join(os.WriteFile(entry, []byte("{"), 0o600), os.Chtimes(entry, time.Now(), time.Now())); err != nil {
			c.t.Fatal(err)
		}
	}
}

func TestCreation(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ steps, want string }{
		"two equal blocks in one run":                        {"1a 1a", "+a1 +a2"},
		"the next run after a kill takes over each one once": {"1a 1a 2a 2a 2a", "+a1 +a2 a1 a2 +a3"},
		"a run that took over and was killed too":            {"1a 2a 3a", "+a1 a1 a1"},
		"another run at the same time":                       {"1b 2c 1a 2a", "+b1 +c2 +a3 +a4"},
		"another request":                                    {"1a 2b", "+a1 +b2"},
		"what this run has deleted, and a list still shows":  {"1a delete 2a", "+a1 +a2"},
		"one whose entry cannot be read is looked for":       {"1a damage 2a 2a", "+a1 a1 +a2"},
		"an entry that cannot be read, and nothing was made": {"1a-before damage 2a", "killed +a1"},
		"one that a state holds":                             {"1a 1a refresh 2a 2a", "+a1 +a2 a2 +a3"},
		"one that is gone at the service":                    {"1a 1a gone 2a 2a", "+a1 +a2 +a3 a2"},
		"one that cannot be read, and is found later":        {"1a broken 2a mended 3a", "+a1 error a1"},
		"one whose creation was on its way at the kill":      {"1a-after 2a 2a", "killed a1 +a2"},
		"one whose creation was never processed":             {"1a-before 2a 3a", "killed +a1 a1"},
		"two equal blocks, of which one was processed":       {"1a-after 1a-before 2a 2a", "killed killed a1 +a2"},
		"one beside an equal one that was answered":          {"1a 1a-after 2a 2a 2a", "+a1 killed a1 a2 +a3"},
		"one beside an equal one that a state holds":         {"1a refresh 2a-before 3a", "+a1 killed +a2"},
		"one whose taking over was killed, too":              {"1a-before 2a-before 3a-after 4a", "killed killed killed a1"},
		"one that another made, and nobody knows which":      {"1a-after another 2a", "killed error"},
		"one that was lost beside an equal one":              {"1a 1a-lost 2a 2a", "+a1 error a1 +a2"},
		"one that was refused":                               {"1a-refused 2a", "error +a1"},
		"one that is corrected after a kill":                 {"1ax-after 2ay 2ay", "killed ax1 +ay2"},
		"one that is corrected, and was never processed":     {"1ax-before 2ay 3ay", "killed +ay1 ay1"},
		"a further one after a correction":                   {"1ax-after 2ay 3az", "killed ax1 +az2"},
		"one beside another one of the same key":             {"1ax 1ay-after 2ay 2ax", "+ax1 killed ay2 ax1"},
		"two of the same key":                                {"1ax-after 1ay-after 2ay 2ax", "killed killed ay2 ax1"},
		"two of the same key, of which one is corrected":     {"1ax-after 1ay-after 2ay 2az", "killed killed ay2 ax1"},
		"two of the same key, one after the other":           {"1ax 2ay", "+ax1 +ay2"},
		"a new one before one of the same key in doubt":      {"1ax-after 2ay 2ax", "killed ax1 +ax2"},
		"one of the same key that another run makes":         {"1b 2c 1ax-after 2ay", "+b1 +c2 killed +ay4"},
		"one of the same key whose entry cannot be read":     {"1ax damage 2ax", "+ax1 ax1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // The search takes its time.
				c := newAccount(t)
				if got := c.play(tt.steps); got != tt.want {
					t.Errorf("%s makes %s, want %s", tt.steps, got, tt.want)
				}
				if strings.Contains(tt.steps, "refused") && c.lists > 0 {
					t.Errorf("the list was read %d times, want never: the service has told", c.lists)
				}
			})
		})
	}
}

// A service that writes what was sent in its own way answers with what looks like another object. To apply again would
// create one more each time.
func TestCreation_namesTheOtherObjectOfAnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newAccount(t)
		creation := c.creation("a")
		creation.Answers = func(*einvoice.Customer) bool { return false }
		creation.Match = creation.Answers
		_, diags := Create(t.Context(), c.session, c.kind(), creation, privateMap{})
		if said := fmt.Sprint(diags); !strings.Contains(said, "Look at a1: if it is the one that you want, import it") || c.posts != 1 {
			t.Errorf("after %d creations it says %s", c.posts, said)
		}
	})
}

// A refresh of a thousand objects must not open a thousand files each time.
func TestConfirmCreation_leavesTheJournalAloneAfterTheFirstTime(t *testing.T) {
	t.Parallel()
	c := newAccount(t)
	c.create("1", "a")
	c.refresh("a1")
	c.session.Store = nil
	c.refresh("a1")
}

// A provider block has a process of its own, which may begin when another one of
// the same run has created something already.
func TestSession_isEarlier(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := &Session{of: &process{run: "7", began: now}}
	for name, tt := range map[string]struct {
		run     string
		stamp   time.Duration // after this process began
		earlier bool
	}{
		"by this process":                {"7", time.Second, false},
		"by another process of this run": {"7", -time.Hour, false},
		"by another run":                 {"8", -time.Second, true},
		"by another run that goes on":    {"8", time.Second, false},
		"by nobody knows whom":           {"", -time.Second, true},
	} {
		if got := s.isEarlier(journal.Record{Run: tt.run, Stamp: now.Add(tt.stamp)}); got != tt.earlier {
			t.Errorf("%s: earlier is %t", name, got)
		}
	}
}

// What nothing can show may exist: only a person can know.
func TestCreation_thatNothingListsIsNeverSentAgain(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{
		"its answer was lost": "1a-lost", "its run was killed before": "1a-before", "its run was killed after": "1a-after",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newAccount(t)
				c.hidden = &einvoice.Error{Missing: "list_products"}
				if got := c.play(first); strings.HasPrefix(got, "+") {
					t.Fatal(got)
				}
				before := c.posts
				for _, run := range []string{"2", "3"} {
					got, record := c.create(run, "a"), filepath.Join(c.dir, "once", "creation-")
					if got != "error" || c.posts != before || !strings.Contains(c.said, record) || !strings.Contains(c.said, "`list_products`") {
						t.Errorf("run %s ends with %s after %d requests, and says %s", run, got, c.posts, c.said)
					}
				}
			})
		})
	}
}

// A list may lag. What was made a moment ago counts as gone only where the service reads
// by id, or once the list had its time.
func TestMayLag_endsWithThePatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newAccount(t)
		c.create("1", "a")
		unlisted := &einvoice.Error{Status: 404, Err: einvoice.ErrOnlyUnlisted}
		lags := func(err error) bool { return c.session.MayLag(t.Context(), c.private["a1"], err) }
		if !lags(unlisted) || lags(einvoice.ErrNotFound) || lags(nil) {
			t.Errorf("it may lag: %t; after a read by id %t; while it shows %t", lags(unlisted), lags(einvoice.ErrNotFound), lags(nil))
		}
		delete(c.held, "a1")
		if got := c.create("2", "a"); got != "+a2" || time.Since(c.began["2"]) < c.session.Patience()/2 {
			t.Errorf("a later run ends with %s after %s", got, time.Since(c.began["2"]))
		}
		<-time.After(c.session.Patience())
		if lags(unlisted) {
			t.Error("it may lag for ever")
		}
	})
}

// What was written a moment ago may be listed as before only as long as a creation may not be listed.
func TestNoteWrite_endsWithThePatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, private := newAccount(t), privateMap{}
		c.create("1", "a")
		if c.session.forgetOldWrite(t.Context(), private) {
			t.Error("what was not written is written now")
		}
		c.session.NoteWrite(t.Context(), private)
		if !c.session.forgetOldWrite(t.Context(), private) {
			t.Error("what was written is not written now")
		}
		<-time.After(c.session.Patience())
		if c.session.forgetOldWrite(t.Context(), private) || len(private[writtenKey]) > 0 {
			t.Error("it lasts for ever")
		}
	})
}
