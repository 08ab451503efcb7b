package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// What the provider may cost on top of the CLI, in times of what the CLI needs
// for as many resources of its own.
const (
	mostOfPlan  = 3.5
	mostOfApply = 1.6
	mostMemory  = 150 // MiB
	mostStartup = 150 // ms

	floorFormat = "resource \"terraform_data\" \"test\" {\n  count = %d\n  input = \"Cliente ${count.index}\"\n}\n"
)

// comparison is how often so many resources are applied and planned.
type comparison struct{ resources, applies, plans int }

// overhead compares the provider, without limits, with the CLI's own resources,
// by turns in one run, and measures its memory and its start.
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
	return results, nil
}

// sides are measurements of the CLI's own resources and of the provider's, made
// by turns.
type sides struct{ floor, ours []time.Duration }

// compare applies and plans customers and as many of the CLI's own resources. The
// plans are those of the last apply.
func (b *bench) compare(ctx context.Context, c comparison) ([]result, error) {
	n := c.resources
	memory := &watch{}
	var applies, plans sides
	var floor, ours *workspace
	var s *sandbox.Server
	defer func() {
		if s != nil {
			s.Close()
		}
	}()
	for range c.applies {
		if s != nil {
			s.Close()
		}
		var err error
		if s, err = serve(sandbox.Options{}); err != nil {
			return nil, err
		}
		if floor, err = b.workspace(nil); err != nil {
			return nil, err
		}
		if ours, err = b.workspace(s, noLimits...); err != nil {
			return nil, err
		}
		ours.watch = memory
		if err := floor.write(fmt.Sprintf(floorFormat, n)); err != nil {
			return nil, err
		}
		if err := ours.write(customers(n)); err != nil {
			return nil, err
		}
		if err := applies.measure(floor, ours, func(w *workspace) (time.Duration, error) { return w.apply(ctx) }); err != nil {
			return nil, err
		}
		fmt.Fprintf(b.out, "Applied %s resources: %s.\n", grouped(n), applies.last())
	}
	for range c.plans {
		if err := plans.measure(floor, ours, func(w *workspace) (time.Duration, error) { return w.plan(ctx) }); err != nil {
			return nil, err
		}
		fmt.Fprintf(b.out, "Planned %s resources: %s.\n", grouped(n), plans.last())
	}
	label := grouped(n) + " customers"
	return []result{
		{what: "Plan of " + label, unit: unitTimes, target: mostOfPlan, measured: plans.ratio(), note: plans.note()},
		{what: "Apply of " + label, unit: unitTimes, target: mostOfApply, measured: applies.ratio(), note: applies.note()},
		{what: "Peak memory of the provider, " + label, unit: "MiB", target: mostMemory, measured: float64(memory.peakKiB) / 1024, shown: true},
	}, nil
}

func (s *sides) measure(floor, ours *workspace, once func(*workspace) (time.Duration, error)) error {
	of, err := once(floor)
	if err != nil {
		return err
	}
	our, err := once(ours)
	if err != nil {
		return err
	}
	s.floor, s.ours = append(s.floor, of), append(s.ours, our)
	return nil
}

// ratio is the median of the ratios of measurements made one after the other, so
// that a machine that is slower for a while is so for both.
func (s *sides) ratio() float64 {
	ratios := make([]float64, len(s.ours))
	for i := range s.ours {
		ratios[i] = float64(s.ours[i]) / float64(s.floor[i])
	}
	return median(ratios)
}

func (s *sides) note() string {
	return fmt.Sprintf("%s on %s, median of %d", seconds(median(s.ours)), seconds(median(s.floor)), len(s.ours))
}

func (s *sides) last() string {
	i := len(s.ours) - 1
	return fmt.Sprintf("%s on %s", seconds(s.ours[i]), seconds(s.floor[i]))
}

// median is the middle one, the lower of two.
func median[T float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
