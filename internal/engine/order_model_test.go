package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
)

// modelOrders is the service of the model test of orders, written from the specification:
// no more of the interface than an order uses. What that leaves open it does the hard way:
// it makes two orders of two requests, and two invoices of two.
type modelOrders struct {
	*oncetest.World

	mode           string        // of automatic issuing
	rejects        bool          // the authority rejects the first try
	answersInvoice bool          // answers the creation with the invoice, where there is one
	listLag        time.Duration // how long a new order is missing in the list
	lag            time.Duration // how long an order shows none of what was done with it

	orders []*modelOrder
	state  string // the id that a state has; "" for none
	failed error  // what the last run ended with
}

type modelOrder struct {
	id, status string
	made       time.Time
	approved   time.Time // zero for never
	invoices   []*modelInvoice
}

type modelInvoice struct {
	id     string
	sent   time.Time // to the authority, for the last time
	shows  time.Time // in the order
	denied bool      // the last try is rejected
}

func (v *modelInvoice) status() string {
	switch {
	case time.Since(v.sent) < 2*time.Second:
		return einvoice.StatusEnqueued
	case v.denied:
		return einvoice.StatusRejected
	}
	return einvoice.StatusAuthorized
}

func (v *modelInvoice) shown() map[string]any {
	return map[string]any{
		"id": v.id, "model": einvoice.ModelService, "status": v.status(), "issuedOn": v.sent.Format(time.RFC3339Nano),
		"processingDetail": map[string]any{"code": map[bool]string{true: "539", false: "100"}[v.denied], "on": v.sent.Format(time.RFC3339Nano)},
	}
}

func (w *modelOrders) shown(o *modelOrder) map[string]any {
	invoices := []any{}
	for _, v := range o.invoices {
		if !time.Now().Before(v.shows) {
			invoices = append(invoices, v.shown())
		}
	}
	status := o.status
	if !o.approved.IsZero() && time.Since(o.approved) >= w.lag {
		status = einvoice.OrderApproved
	}
	return map[string]any{"id": o.id, "transactionId": "t-1", "status": status, "autoIssueMode": w.mode, "invoices": invoices}
}

// issue sends what was rejected once more, or makes another invoice.
func (w *modelOrders) issue(o *modelOrder) {
	for _, v := range o.invoices {
		if v.status() == einvoice.StatusRejected {
			v.sent, v.denied = time.Now(), false
			return
		}
	}
	o.invoices = append(o.invoices, &modelInvoice{
		id: fmt.Sprintf("i-%s-%d", o.id, len(o.invoices)), sent: time.Now(), shows: time.Now().Add(w.lag), denied: w.rejects,
	})
	w.rejects = false
}

func (w *modelOrders) Serve(_ *oncetest.Run, r *http.Request, body []byte) (int, string) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	if parts[0] != "orders" {
		return w.invoice(parts)
	}
	if len(parts) == 1 && r.Method == http.MethodPost {
		o := &modelOrder{id: fmt.Sprint("o-", len(w.orders)), status: "created", made: time.Now()}
		w.orders = append(w.orders, o)
		if w.mode == einvoice.IssueImmediately {
			w.issue(o)
		}
		if w.answersInvoice && len(o.invoices) > 0 {
			answer := o.invoices[0].shown()
			answer["order"] = map[string]any{"id": o.id, "transactionId": "t-1"}
			return written(201, answer)
		}
		return written(201, w.shown(o))
	}
	var listed []any
	for _, o := range w.orders {
		switch {
		case len(parts) == 1 && time.Since(o.made) >= w.listLag:
			listed = append(listed, w.shown(o))
		case len(parts) == 1 || parts[1] != o.id:
		case r.Method == http.MethodPut:
			o.approved = time.Now()
			w.issue(o)
			answer := w.shown(o)
			answer["status"] = einvoice.OrderApproved
			return written(200, answer)
		case r.Method == http.MethodPost:
			w.issue(o)
			return 200, `{}`
		default:
			return written(200, w.shown(o))
		}
	}
	if len(parts) > 1 {
		return 404, `{}`
	}
	return written(200, map[string]any{"items": listed, "totalCount": len(listed), "hasNext": false})
}

// invoice serves one invoice, by its id or by a check of its status, or an empty list.
func (w *modelOrders) invoice(parts []string) (int, string) {
	for _, o := range w.orders {
		for _, v := range o.invoices {
			if len(parts) > 1 && parts[1] == v.id {
				return written(200, v.shown())
			}
		}
	}
	if len(parts) == 1 {
		return 200, `{"items":[],"totalCount":0,"hasNext":false}`
	}
	return 404, `{}`
}

func written(status int, v any) (int, string) {
	text, _ := json.Marshal(v) // Texts and numbers can be written.
	return status, string(text)
}

// Run brings the sale to its end, from a state or without one, or loses the state. A run
// beside another one has none.
func (w *modelOrders) Run(r *oncetest.Run, act string) {
	if act == "lose" {
		w.state = ""
		return
	}
	client, once := r.Begin(&w.Store)
	o := &Ordering{
		Service: Service{Client: client, Store: once.Store, Patience: once.Patience, Clock: once.Clock},
		Wanted:  einvoice.Order{TransactionID: "t-1", AutoIssueMode: einvoice.Enum(w.mode), Status: "created"}, Waits: true,
		Issue: w.mode == einvoice.IssueDisabled, IssueNow: w.mode == einvoice.IssueDisabled,
	}
	if w.mode == einvoice.IssueAfterPayment {
		o.Status = einvoice.OrderApproved
	}
	ctx, cancel := context.WithTimeout(r.Context, 10*time.Minute)
	defer cancel()
	var order *einvoice.Order
	var err error
	if w.state != "" && !r.Beside {
		order, err = o.Update(ctx, w.state)
	} else {
		order, err = o.Create(ctx)
	}
	if w.failed = err; r.Saves() && err == nil {
		w.state = string(order.ID)
	}
}

func (w *modelOrders) Wrong() error {
	count := 0
	for _, o := range w.orders {
		count += len(o.invoices)
	}
	if len(w.orders) > 1 || count > 1 {
		return fmt.Errorf("%d orders and %d invoices for one sale", len(w.orders), count)
	}
	return nil
}

func (w *modelOrders) Settle() error {
	for range 3 {
		if w.World.Run(oncetest.Fate{}, "apply"); w.failed == nil {
			break
		}
	}
	switch {
	case w.failed != nil:
		return fmt.Errorf("the order does not come to an end: %w", w.failed)
	case len(w.orders) != 1 || len(w.orders[0].invoices) != 1 || w.orders[0].invoices[0].status() != einvoice.StatusAuthorized:
		return errors.New("there is no authorized invoice at the end")
	}
	return nil
}

// There is one order for a sale, and one invoice for that.
func TestModel_ordersOnce(t *testing.T) {
	t.Parallel()
	modes := []string{einvoice.IssueImmediately, einvoice.IssueAfterPayment, einvoice.IssueDisabled}
	oncetest.Play(t, []string{"apply", "apply", "lose"}, func(t *rapid.T) func(*oncetest.World) oncetest.Model {
		service := modelOrders{
			mode: rapid.SampledFrom(modes).Draw(t, "mode"), rejects: rapid.Bool().Draw(t, "rejects"),
			answersInvoice: rapid.Bool().Draw(t, "answers the invoice"),
			listLag:        oncetest.Seconds(0, 0, 3, 10).Draw(t, "list lag"), lag: oncetest.Seconds(0, 0, 3).Draw(t, "lag"),
		}
		return func(w *oncetest.World) oncetest.Model {
			begun := service
			begun.World = w
			return &begun
		}
	})
}

// Histories that TestModel_ordersOnce found a defect with.
func TestModel_ordersOnceFound(t *testing.T) {
	t.Parallel()
	at := func(step int, what oncetest.Happening) oncetest.Fate {
		return oncetest.Fate{Before: append(make([]oncetest.Happening, step), what)}
	}
	for name, c := range map[string]struct {
		mode  string
		first func(step int) oncetest.Fate
		then  []oncetest.Step
	}{
		"approved, killed before it shows, and the key replaced": {
			einvoice.IssueAfterPayment,
			func(step int) oncetest.Fate { return at(step, oncetest.Killed) },
			[]oncetest.Step{{Act: "apply", Fate: oncetest.Fate{Key: 1}}},
		},
		"issued, killed before it shows, and the key replaced": {
			einvoice.IssueDisabled,
			func(step int) oncetest.Fate { return at(step, oncetest.Killed) },
			[]oncetest.Step{{Act: "apply", Fate: oncetest.Fate{Key: 1}}},
		},
		"issued by a run beside this one before it shows": {
			einvoice.IssueDisabled,
			func(step int) oncetest.Fate { return at(step, oncetest.Another) },
			nil,
		},
		"approved by a run beside this one before it shows": {
			einvoice.IssueAfterPayment,
			func(step int) oncetest.Fate { return at(step, oncetest.Another) },
			nil,
		},
	} {
		for step := range 16 {
			t.Run(fmt.Sprintf("%s, step %d", name, step), func(t *testing.T) {
				t.Parallel()
				history := append([]oncetest.Step{{Act: "apply", Fate: c.first(step)}}, c.then...)
				begin := func(w *oncetest.World) oncetest.Model {
					return &modelOrders{World: w, mode: c.mode, lag: 3 * time.Second}
				}
				if wrong := oncetest.Replay(t, begin, history); wrong != nil {
					t.Error(wrong)
				}
			})
		}
	}
}

// However late an order shows what it was asked to issue, it is asked once.
func TestOrdering_issueThatWasAnsweredIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	history := []oncetest.Step{{Act: "apply"}, {Act: "apply", After: time.Minute}, {Act: "apply", After: time.Minute, Fate: oncetest.Fate{Key: 1}}}
	begin := func(w *oncetest.World) oncetest.Model {
		return &modelOrders{World: w, mode: einvoice.IssueDisabled, lag: 4 * time.Minute}
	}
	if wrong := oncetest.Replay(t, begin, history); wrong != nil {
		t.Error(wrong)
	}
}
