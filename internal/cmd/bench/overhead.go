package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// What the provider may cost on top of the CLI, in times of what the CLI needs for as many resources of its own.
const (
	mostOfPlan  = 3.5
	mostOfApply = 1.6
	mostMemory  = 150 // MiB
	mostStartup = 150 // ms

	floorFormat = "resource \"terraform_data\" \"test\" {\n  count = %d\n  input = \"Cliente ${count.index}\"\n}\n"
)

// comparison is how often so many resources are applied and planned.
type comparison struct{ resources, applies, plans int }

// overhead compares the provider, without limits, with the CLI's own resources, by turns in one run, and measures its
// memory and its start.
func (b *bench) overhead(ctx context.Context) ([]result, error) {
	started, err := b.startup(ctx)
	if err != nil {
		return nil, err
	}
	results := []result{started}
	for _, c := range b.sizes.overhead {
		compared, err := b.compare(ctx, c)
		if err != nil {
			return nil, err
		}
		results = append(results, compared...)
	}
	listed, err := b.longList(ctx)
	return append(results, listed...), err
}

// compared is a kind of resource and its measurements. The first one is the CLI's own.
type compared struct {
	name           string
	config         func(int) string
	missing        bool // its targets, as the guide says and explains
	space          *workspace
	applies, plans []time.Duration
	memory         watch
}

// compare applies and plans resources of the provider, with few attributes and with many, and as many of the CLI's own,
// by turns. The plans are those of the last apply.
func (b *bench) compare(ctx context.Context, c comparison) ([]result, error) {
	kinds := []*compared{
		{name: "terraform_data", config: func(n int) string { return fmt.Sprintf(floorFormat, n) }},
		{name: "products", config: products},
		{name: "customers with addresses", config: customers, missing: true},
	}
	defer func() {
		for _, kind := range kinds {
			kind.close()
		}
	}()
	for range c.applies {
		for _, kind := range kinds {
			if err := b.renew(kind, c.resources); err != nil {
				return nil, err
			}
			if err := kind.take(ctx, apply, &kind.applies); err != nil {
				return nil, err
			}
		}
	}
	for range c.plans {
		for _, kind := range kinds {
			if err := kind.take(ctx, plan, &kind.plans); err != nil {
				return nil, err
			}
		}
	}
	var results []result
	floor := kinds[0]
	for _, kind := range kinds[1:] {
		label := grouped(c.resources) + " " + kind.name
		results = append(results,
			result{what: "Plan of " + label, unit: unitTimes, target: mostOfPlan, measured: ratio(kind.plans, floor.plans), note: side(kind.plans, floor.plans), shown: kind.missing},
			result{what: "Apply of " + label, unit: unitTimes, target: mostOfApply, measured: ratio(kind.applies, floor.applies), note: side(kind.applies, floor.applies), shown: kind.missing})
		if kind.memory.peakKiB > 0 {
			results = append(results, result{
				what: "Peak memory of the provider, " + label, unit: "MiB", target: mostMemory, measured: float64(kind.memory.peakKiB) / 1024, shown: true,
			})
		}
	}
	return results, nil
}

// renew begins with an empty account and an empty state.
func (b *bench) renew(kind *compared, resources int) error {
	kind.close()
	s, err := serve(sandbox.Options{})
	if err != nil {
		return err
	}
	if kind.space, err = b.workspace(s, kind.config(resources), noLimits...); err != nil {
		return err
	}
	kind.space.watch = &kind.memory
	return nil
}

// take runs a command and adds how long it took.
func (c *compared) take(ctx context.Context, command []string, times *[]time.Duration) error {
	took, err := c.space.run(ctx, command)
	*times = append(*times, took)
	fmt.Fprintf(c.space.bench.out, "%s of %s: %s.\n", command[0], c.name, seconds(took))
	return err
}

func (c *compared) close() {
	if c.space != nil {
		c.space.service.Close()
	}
}

// ratio is the median of the ratios of measurements made one after the other, so that a machine that is slower for a
// while is so for both.
func ratio(ours, floor []time.Duration) float64 {
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = float64(ours[i]) / float64(floor[i])
	}
	return median(ratios)
}

// side writes measurements side by side.
func side(ours, floor []time.Duration) string {
	text := fmt.Sprintf("%s, %s", seconds(median(ours)), seconds(median(floor)))
	if len(ours) > 1 {
		text += fmt.Sprintf("; medians of %d", len(ours))
	}
	return text
}

// median is the middle one, or what lies between the middle two.
func median[T float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
