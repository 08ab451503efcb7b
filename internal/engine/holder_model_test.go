package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
)

// modelSales is a service with sales, written from the specification: no more of the interface than an invoice or an
// order uses. What that leaves open it does the hard way: it makes two of two requests, and merges nothing.
type modelSales struct {
	*oncetest.World

	company string        // whose key the runs have; "" shows none
	bare    bool          // the response to a POST of an invoice shows the id alone
	listLag time.Duration // how long a list lacks a new object
	lag     time.Duration // how long an order shows none of what was done with it
	unshown time.Duration // how long an invoice does not show its company

	mode           string // of automatic issuing
	rejects        bool   // the authority rejects the first try
	answersInvoice bool   // answers the creation of an order with the invoice, where there is one

	sales  []*modelSale
	orders []*modelOrder
}

// modelSale is an invoice.
type modelSale struct {
	id, name, company string
	order             *modelOrder // that has issued it; nil for none
	shows             time.Time   // in the order
	draft, denied     bool
	run               int // that made it
	made, canceled    time.Time
	unshown           time.Duration
}

type modelOrder struct {
	id, transaction string
	made, approved  time.Time // approved is zero for never
}

func (s *modelSale) status() string {
	switch {
	case s.draft:
		return einvoice.StatusCreated
	case !s.canceled.IsZero() && time.Since(s.canceled) >= 2*time.Second:
		return einvoice.StatusCanceled
	case time.Since(s.made) < 2*time.Second:
		return einvoice.StatusEnqueued
	case s.denied:
		return einvoice.StatusRejected
	}
	return einvoice.StatusAuthorized
}

func (s *modelSale) shown() map[string]any {
	on, code := s.made.Format(time.RFC3339Nano), map[bool]string{true: "539", false: "100"}[s.denied]
	shown := map[string]any{
		"id": s.id, "model": einvoice.ModelService, "status": s.status(), "issuedOn": on,
		"processingDetail": map[string]any{"code": code, "on": on},
	}
	if s.company != "" && time.Since(s.made) >= s.unshown {
		shown["company"] = map[string]any{"federalTaxNumber": s.company}
	}
	if s.name != "" {
		shown["integrationId"] = s.name
	}
	return shown
}

func (w *modelSales) shown(o *modelOrder) map[string]any {
	invoices := []any{}
	for _, s := range w.sales {
		if s.order == o && !time.Now().Before(s.shows) {
			short := s.shown()
			delete(short, "company") // An order does not show it.
			invoices = append(invoices, short)
		}
	}
	status := "created"
	if !o.approved.IsZero() && time.Since(o.approved) >= w.lag {
		status = einvoice.OrderApproved
	}
	return map[string]any{
		"id": o.id, "transactionId": o.transaction, "status": status, "autoIssueMode": w.mode, "invoices": invoices,
	}
}

func (w *modelSales) Serve(r *oncetest.Run, req *http.Request, body []byte) (int, string) {
	parts := strings.Split(strings.TrimPrefix(req.URL.Path, "/v1/"), "/")
	var sent struct{ IntegrationID, TransactionID string }
	isNew := req.Method == http.MethodPost && len(parts) == 1
	switch {
	case parts[0] != "orders" && parts[0] != "service-invoices":
		return 403, `{}`
	case isNew && json.Unmarshal(body, &sent) != nil:
		return 400, `{"message":"no JSON"}`
	case isNew && parts[0] == "orders":
		return w.makeOrder(r.Number, sent.TransactionID)
	case isNew:
		s := w.make(r.Number, sent.IntegrationID, nil)
		if w.bare {
			return written(201, map[string]any{"id": s.id})
		}
		return written(201, s.shown())
	case parts[0] == "orders":
		return w.serveOrders(r.Number, req.Method, parts)
	}
	listed := []any{}
	for _, s := range w.sales {
		switch {
		case len(parts) == 1 && (time.Since(s.made) < w.listLag || isOtherName(req, s.name)):
		case len(parts) == 1:
			listed = append(listed, s.shown())
		case parts[1] != s.id:
		case req.Method == http.MethodDelete && s.status() == einvoice.StatusAuthorized:
			s.canceled = time.Now()
			return 200, `{}`
		case req.Method == http.MethodGet, len(parts) == 3 && parts[2] == "check-status":
			return written(200, s.shown())
		default:
			return 400, `{"message":"SPD004"}`
		}
	}
	return answeredList(parts, listed)
}

// isOtherName reports whether the filter of a list leaves a name out.
func isOtherName(req *http.Request, name string) bool {
	wanted := req.URL.Query().Get("integrationId")
	return wanted != "" && wanted != name
}

func (w *modelSales) serveOrders(run int, method string, parts []string) (int, string) {
	listed := []any{}
	for _, o := range w.orders {
		switch {
		case len(parts) == 1 && time.Since(o.made) >= w.listLag:
			listed = append(listed, w.shown(o))
		case len(parts) == 1 || parts[1] != o.id:
		case method == http.MethodPut:
			o.approved = time.Now()
			w.issue(run, o)
			answer := w.shown(o)
			answer["status"] = einvoice.OrderApproved
			return written(200, answer)
		case method == http.MethodPost:
			w.issue(run, o)
			return 200, `{}`
		default:
			return written(200, w.shown(o))
		}
	}
	return answeredList(parts, listed)
}

// answeredList is a list, or that nothing has the id.
func answeredList(parts []string, listed []any) (int, string) {
	if len(parts) > 1 {
		return 404, `{}`
	}
	return written(200, map[string]any{"items": listed, "totalCount": len(listed), "hasNext": false})
}

func written(status int, v any) (int, string) {
	text, _ := json.Marshal(v) // Texts and numbers can be written.
	return status, string(text)
}

func (w *modelSales) make(run int, name string, by *modelOrder) *modelSale {
	s := &modelSale{
		id: fmt.Sprint("i-", len(w.sales)), name: name, company: w.company, order: by, run: run, made: time.Now(),
		shows: time.Now().Add(w.lag), denied: w.rejects, unshown: w.unshown,
	}
	w.sales, w.rejects = append(w.sales, s), false
	return s
}

func (w *modelSales) makeOrder(run int, transaction string) (int, string) {
	o := &modelOrder{id: fmt.Sprint("o-", len(w.orders)), transaction: transaction, made: time.Now()}
	w.orders = append(w.orders, o)
	if w.mode == einvoice.IssueImmediately {
		if s := w.make(run, "", o); w.answersInvoice {
			answer := s.shown()
			answer["order"] = map[string]any{"id": o.id, "transactionId": transaction}
			return written(201, answer)
		}
	}
	return written(201, w.shown(o))
}

// issue sends what was rejected once more, or makes another invoice.
func (w *modelSales) issue(run int, o *modelOrder) {
	for _, s := range w.sales {
		if s.order == o && s.status() == einvoice.StatusRejected {
			s.made, s.denied = time.Now(), false
			return
		}
	}
	w.make(run, "", o)
}

func (w *modelSales) isEmpty() (empty bool) {
	w.Locked(func() { empty = len(w.sales) == 0 })
	return empty
}

// issuing is one sale in a run.
func (w *modelSales) issuing(service Service, name string) *Issuing {
	return &Issuing{
		Service: service, Want: Want{Issue: true}, Model: einvoice.ModelService, IntegrationID: name,
		Payload: json.RawMessage(`{"description":"work","federalServiceCode":"17.01"}`),
	}
}

func (w *modelSales) begin(r *oncetest.Run) (context.Context, context.CancelFunc, Service) {
	client, once := r.Begin(&w.Store)
	ctx, cancel := context.WithTimeout(r.Context, 10*time.Minute)
	return ctx, cancel, Service{Owner: "the issuer", Client: client, Store: once.Store, Patience: once.Patience, Clock: once.Clock}
}

// modelRenamed is a block that is renamed without `moved`: its object leaves, and cancels,
// beside or before or after the run in which the new one comes, and adopts.
type modelRenamed struct {
	modelSales

	act      string // of the run that is not beside another one
	leaving  string // the id that the state of the old block has; "" for none
	adopted  string // the id that the state of the new block has; "" for none
	finished error  // of the last run of the new block
}

const oldBlock, newBlock = "old", "new"

func (w *modelRenamed) Run(r *oncetest.Run, act string) {
	switch {
	case r.Beside:
		act = map[string]string{"leave": "come", "come": "leave"}[w.act]
	case w.isEmpty():
		act = "make" // The old block comes first.
	case w.leaving == "":
		act = "come"
	}
	if !r.Beside {
		w.act = act
	}
	ctx, cancel, service := w.begin(r)
	defer cancel()
	i := w.issuing(service, "sale")
	switch act {
	case "come":
		i.Holder = newBlock
		v, err := i.Create(ctx)
		if w.finished = err; err == nil && r.Saves() && r.Recorded() {
			w.adopted = string(v.ID)
		}
	case "make":
		i.Holder = oldBlock
		if v, err := i.Create(ctx); err == nil && r.Saves() && r.Recorded() {
			w.leaving = string(v.ID)
		}
	case "leave":
		i.Holder = oldBlock
		if _, err := i.Cancel(ctx, w.leaving, "Ordered twice by mistake", einvoice.StatusAuthorized); err == nil && r.Saves() {
			w.leaving = ""
		}
	}
}

func (w *modelRenamed) Wrong() error {
	for _, s := range w.sales {
		if s.id == w.adopted && !s.canceled.IsZero() {
			return fmt.Errorf("the new block has %s, which the old one has canceled", s.id)
		}
	}
	if len(w.sales) > 1 {
		return fmt.Errorf("%d invoices of one sale", len(w.sales))
	}
	return nil
}

func (w *modelRenamed) Settle() error {
	if w.isEmpty() {
		return nil
	}
	w.World.Run(oncetest.Fate{}, "come")
	p, status := (*Problem)(nil), ""
	w.Locked(func() { status = w.sales[0].status() })
	if (w.finished == nil) != (status == einvoice.StatusAuthorized) || w.finished != nil && !errors.As(w.finished, &p) {
		return fmt.Errorf("the invoice is %s, and the new block ends with %w", status, w.finished)
	}
	return nil
}

// An invoice that a new block has adopted is not canceled by the block that leaves.
func TestModel_leavingBlock(t *testing.T) {
	t.Parallel()
	oncetest.Play(t, []string{"leave", "come"}, func(t *rapid.T) func(*oncetest.World) oncetest.Model {
		service := drawSales(t)
		return func(w *oncetest.World) oncetest.Model {
			begun := &modelRenamed{modelSales: service}
			begun.World = w
			return begun
		}
	})
}

func drawSales(t *rapid.T) modelSales {
	return modelSales{
		bare: rapid.Bool().Draw(t, "bare answers"), company: modelIssuer, mode: einvoice.IssueImmediately,
		unshown: oncetest.Seconds(0, 0, 5, 15).Draw(t, "without a company"),
		listLag: oncetest.Seconds(0, 0, 3, 10).Draw(t, "list lag"), lag: oncetest.Seconds(0, 3, 15).Draw(t, "lag"),
	}
}

// modelCompanies has runs whose key may be another company's than the issuer.
type modelCompanies struct {
	modelSales

	ordered int  // how many of the sales are orders
	waits   bool // orders, for their invoices
	wrong   error
}

const (
	modelIssuer = "11222333000181"
	modelOther  = "11444777000161"
	modelCount  = 4 // sales of a run
)

func (w *modelCompanies) Run(r *oncetest.Run, _ string) {
	r.Before = slices.DeleteFunc(slices.Clone(r.Before), func(h oncetest.Happening) bool { return h == oncetest.Another })
	ctx, cancel, service := w.begin(r)
	defer cancel()
	service.Issuer = modelIssuer
	var sales sync.WaitGroup
	errs := make([]error, modelCount)
	for n := range errs {
		sales.Go(func() {
			<-time.After(time.Duration(n) * time.Millisecond) // So that a history has one course.
			if name := fmt.Sprint("sale-", n); n >= w.ordered {
				_, errs[n] = w.issuing(service, name).Create(ctx)
			} else {
				o := &Ordering{Service: service, Waits: w.waits, Wanted: einvoice.Order{
					TransactionID: einvoice.Text(name), AutoIssueMode: einvoice.IssueImmediately, Status: "created",
				}}
				_, errs[n] = o.Create(ctx)
			}
		})
	}
	sales.Wait()
	var harmed []*modelSale
	w.Locked(func() {
		harmed = slices.DeleteFunc(slices.Clone(w.sales), func(s *modelSale) bool { return s.draft || s.run != r.Number || s.company == modelIssuer })
	})
	// Only an answer, or one read, is compared: what shows its company later may be followed by others.
	isShown := w.unshown == 0 && (w.ordered == 0 || w.waits && w.lag == 0)
	switch {
	case !isShown:
	case len(harmed) > 1 && r.Recorded(): // Else a lost answer may never be looked for.
		w.wrong = fmt.Errorf("one run has issued %d invoices for the wrong company", len(harmed))
	case len(harmed) > 0 && errors.Join(errs...) == nil:
		w.wrong = errors.New("a run has issued an invoice for the wrong company, and ended well")
	}
}

func (w *modelCompanies) Wrong() error {
	names := map[string]int{}
	for _, s := range w.sales {
		if s.draft {
			continue
		}
		name := s.name
		if s.order != nil {
			name = s.order.transaction
		}
		if names[name]++; names[name] > 1 {
			return fmt.Errorf("%s has two invoices", name)
		}
	}
	return w.wrong
}

func (w *modelCompanies) Settle() error { return nil }

// A key of another company than the issuer does its harm at most once in a run, and not again in the next ones.
func TestModel_wrongCompany(t *testing.T) {
	t.Parallel()
	oncetest.Play(t, []string{"apply"}, func(t *rapid.T) func(*oncetest.World) oncetest.Model {
		service := drawSales(t)
		service.company = rapid.SampledFrom([]string{modelOther, modelIssuer}).Draw(t, "company of the key")
		ordered := rapid.IntRange(0, modelCount).Draw(t, "orders")
		waits := rapid.Bool().Draw(t, "orders wait")
		hasDraft := rapid.Bool().Draw(t, "draft of the issuer")
		return func(w *oncetest.World) oncetest.Model {
			begun := &modelCompanies{modelSales: service, ordered: ordered, waits: waits}
			begun.World = w
			if hasDraft {
				begun.sales = []*modelSale{{id: "draft", name: fmt.Sprint("sale-", modelCount-1), company: modelIssuer, draft: true, made: time.Now().Add(-time.Hour)}}
			}
			return begun
		}
	})
}
