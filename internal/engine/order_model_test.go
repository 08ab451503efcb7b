package engine

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
)

// modelOrders is one sale by an order.
type modelOrders struct {
	modelSales

	state  string // the id that a state has; "" for none
	failed error  // what the last run ended with
}

// Run brings the sale to its end, from a state or without one, or loses the state. A run
// beside another one has none.
func (w *modelOrders) Run(r *oncetest.Run, act string) {
	if act == "lose" {
		w.state = ""
		return
	}
	ctx, cancel, service := w.begin(r)
	defer cancel()
	o := &Ordering{
		Service: service,
		Wanted:  einvoice.Order{TransactionID: "t-1", AutoIssueMode: einvoice.Enum(w.mode), Status: "created"}, Waits: true,
		Issue: w.mode == einvoice.IssueDisabled, IssueNow: w.mode == einvoice.IssueDisabled,
	}
	if w.mode == einvoice.IssueAfterPayment {
		o.Status = einvoice.OrderApproved
	}
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
	if len(w.orders) > 1 || len(w.sales) > 1 {
		return fmt.Errorf("%d orders and %d invoices for one sale", len(w.orders), len(w.sales))
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
	case len(w.orders) != 1 || len(w.sales) != 1 || w.sales[0].status() != einvoice.StatusAuthorized:
		return errors.New("there is no authorized invoice at the end")
	}
	return nil
}

// There is one order for a sale, and one invoice for that.
func TestModel_ordersOnce(t *testing.T) {
	t.Parallel()
	modes := []string{einvoice.IssueImmediately, einvoice.IssueAfterPayment, einvoice.IssueDisabled}
	oncetest.Play(t, []string{"apply", "apply", "lose"}, func(t *rapid.T) func(*oncetest.World) oncetest.Model {
		service := modelSales{
			mode: rapid.SampledFrom(modes).Draw(t, "mode"), rejects: rapid.Bool().Draw(t, "rejects"),
			answersInvoice: rapid.Bool().Draw(t, "answers the invoice"),
			listLag:        oncetest.Seconds(0, 0, 3, 10).Draw(t, "list lag"), lag: oncetest.Seconds(0, 0, 3).Draw(t, "lag"),
		}
		return func(w *oncetest.World) oncetest.Model {
			begun := &modelOrders{modelSales: service}
			begun.World = w
			return begun
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
					return &modelOrders{modelSales: modelSales{World: w, mode: c.mode, lag: 3 * time.Second}}
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
		return &modelOrders{modelSales: modelSales{World: w, mode: einvoice.IssueDisabled, lag: 12 * time.Minute}}
	}
	if wrong := oncetest.Replay(t, begin, history); wrong != nil {
		t.Error(wrong)
	}
}
