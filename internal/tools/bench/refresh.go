package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// The goals of two cases; the formula gives those of all others.
const (
	mostOfThousand = 24 // a thousand customers in an account of as many
	mostOfFew      = 8  // five in an account of fifty thousand
)

// refreshed is a workspace and the sizes that the account grows to.
type refreshed struct {
	kind     string // of the sandbox
	objects  int
	accounts []int
	config   func(int) string
}

// refresh counts what plans without changes cost.
func (b *bench) refresh(ctx context.Context) ([]result, error) {
	most, account := b.sizes.refreshed, b.sizes.account
	var results []result
	for _, r := range []refreshed{
		{sandbox.KindCustomers, 1, []int{1}, customers},
		{sandbox.KindCustomers, 5, []int{5, account}, customers},
		{sandbox.KindCustomers, 20, []int{20, most}, customers},
		{sandbox.KindCustomers, 80, []int{80, most * 10}, customers},
		{sandbox.KindCustomers, 300, []int{300, most * 10}, customers},
		{sandbox.KindCustomers, most, []int{most, most * 10}, customers},
		{sandbox.KindProducts, 100, []int{100}, products},
		{sandbox.KindWebhooks, 100, []int{100}, webhooks},
		{sandbox.KindCompanies, 50, []int{51}, companies}, // The main company is there already.
	} {
		measure := func(w *workspace) ([]result, error) { return r.measure(ctx, w) }
		more, err := b.unlimited(sandbox.Options{}, r.config(r.objects), measure)
		if err != nil {
			return nil, err
		}
		results = append(results, more...)
	}
	return results, nil
}

func (r refreshed) measure(ctx context.Context, w *workspace) ([]result, error) {
	if _, err := w.run(ctx, apply); err != nil {
		return nil, err
	}
	var results []result
	for _, account := range r.accounts {
		for i := len(w.service.Objects(r.kind)); i < account; i++ {
			w.service.Seed(r.kind, map[string]any{"name": fmt.Sprintf("Outro %d", i)})
		}
		n, said, err := w.count(ctx, plan)
		if err != nil {
			return nil, err
		}
		results = append(results, result{
			what: fmt.Sprintf("%s %s in an account of %s",
				grouped(r.objects), noun(r.kind, r.objects), grouped(account)),
			unit: "requests", target: float64(r.goal(account)), measured: n, note: said, objects: r.objects,
		})
	}
	return results, nil
}

func (r refreshed) goal(account int) int {
	switch {
	case r.kind == sandbox.KindCustomers && r.objects == 1000 && account == 1000:
		return mostOfThousand
	case r.kind == sandbox.KindCustomers && r.objects == 5 && account == 50_000:
		return mostOfFew
	}
	return refreshRequests(r.objects, account, pageSize)
}

// noun is a kind as a word.
func noun(kind string, n int) string {
	if n != 1 {
		return kind
	}
	if stem, found := strings.CutSuffix(kind, "ies"); found {
		return stem + "y"
	}
	return strings.TrimSuffix(kind, "s")
}
