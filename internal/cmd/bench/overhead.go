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
	mostOfPlan   = 3.5
	mostOfApply  = 1.6
	mostMemory   = 150 // MiB
	mostStartup  = 150 // ms
	floorFormat  = "resource \"terraform_data\" \"test\" {\n  count = %d\n  input = \"Cliente ${count.index}\"\n}\n"
	memoryFormat = "Peak memory of the provider, %s customers"
)

// overhead compares the provider, without limits, with the CLI's own resources,
// by turns in one run, and measures its memory and its start.
func (b *bench) overhead(ctx context.Context) ([]result, error) {
	var results []result
	for i, n := range b.sizes.overhead {
		compared, err := b.compare(ctx, n, b.sizes.repetitions[i])
		if err != nil {
			return nil, err
		}
		results = append(results, compared...)
	}
	started, err := b.startup(ctx)
	if err != nil {
		return nil, err
	}
	return append(results, started), nil
}

// times are what one kind of resource took, by repetition.
type times struct{ apply, plan []time.Duration }

// compare applies and plans n customers and n of the CLI's own resources.
func (b *bench) compare(ctx context.Context, n, repetitions int) ([]result, error) {
	var floor, ours times
	memory := &watch{}
	for range repetitions {
		if err := b.once(ctx, nil, fmt.Sprintf(floorFormat, n), nil, &floor); err != nil {
			return nil, err
		}
		s, err := serve(sandbox.Options{})
		if err != nil {
			return nil, err
		}
		err = b.once(ctx, s, customers(n), memory, &ours)
		s.Close()
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(b.out, "%d resources: apply %s, floor %s; plan %s, floor %s\n", n,
			last(ours.apply), last(floor.apply), last(ours.plan), last(floor.plan))
	}
	label := grouped(n) + " customers"
	note := func(ours, floor []time.Duration) string {
		return fmt.Sprintf("%s on %s", seconds(median(ours)), seconds(median(floor)))
	}
	return []result{
		{
			what: "Plan of " + label, unit: unitTimes, target: mostOfPlan, measured: ratio(ours.plan, floor.plan),
			note: note(ours.plan, floor.plan),
		},
		{
			what: "Apply of " + label, unit: unitTimes, target: mostOfApply, measured: ratio(ours.apply, floor.apply),
			note: note(ours.apply, floor.apply),
		},
		{
			what: fmt.Sprintf(memoryFormat, grouped(n)), unit: "MiB", target: mostMemory,
			measured: float64(memory.peakKiB) / 1024, shown: true,
		},
	}, nil
}

// once applies a configuration from nothing, and plans it.
func (b *bench) once(ctx context.Context, s *sandbox.Server, config string, memory *watch, took *times) error {
	w, err := b.workspace(s, noLimits...)
	if err != nil {
		return err
	}
	w.watch = memory
	if err := w.write(config); err != nil {
		return err
	}
	applied, err := w.apply(ctx)
	if err != nil {
		return err
	}
	planned, err := w.plan(ctx)
	if err != nil {
		return err
	}
	took.apply, took.plan = append(took.apply, applied), append(took.plan, planned)
	return nil
}

func last(d []time.Duration) time.Duration { return d[len(d)-1].Round(10 * time.Millisecond) }

// ratio is the median of the ratios of measurements made one after the other, so
// that a machine that is slower for a while is so for both.
func ratio(ours, floor []time.Duration) float64 {
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = float64(ours[i]) / float64(floor[i])
	}
	return median(ratios)
}

// median is the middle one, the lower of two.
func median[T float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
