package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const (
	// mostOverFloor is in times of what a run takes with a provider that has the same schemas and does nothing: see
	// the directory floor. The rest is this provider's own: its code, the journal on disk and the requests on
	// loopback, which the service in memory answers on the same processors.
	mostOverFloor = 1.5
	mostMemory    = 150 // MiB
	mostStartup   = 150 // ms
)

// comparison is how often so many resources are applied and planned.
type comparison struct{ resources, applies, plans int }

// overhead compares the provider, without limits, with the floor, by turns in one run, and measures its memory and its
// start.
func (b *bench) overhead(ctx context.Context) ([]result, error) {
	started, err := b.startup(ctx)
	if err != nil {
		return nil, err
	}
	floor, err := b.buildFloor(ctx)
	if err != nil {
		return nil, err
	}
	results := []result{started}
	for _, c := range b.sizes.overhead {
		for _, kind := range []struct {
			name   string
			config func(int) string
		}{
			{"products", products},
			{"customers with addresses", customers},
		} {
			compared, err := b.compare(ctx, c, kind.name, kind.config(c.resources), floor)
			if err != nil {
				return nil, err
			}
			results = append(results, compared...)
		}
	}
	listed, err := b.longList(ctx)
	return append(results, listed...), err
}

// buildFloor builds the floor, and returns the setting that makes a CLI use it.
func (b *bench) buildFloor(ctx context.Context) (setting string, err error) {
	dir := filepath.Join(b.dir, "floor")
	program := filepath.Join(dir, filepath.Base(b.provider))
	cmd := exec.CommandContext(ctx, "go", "build", "-C", "internal/tools/bench", "-o", program, "./floor")
	if _, err := cli.Output(cmd); err != nil {
		return "", fmt.Errorf("building the floor: %w", err)
	}
	config, err := cli.WriteDevOverrides(dir, dir)
	return "TF_CLI_CONFIG_FILE=" + config, err
}

// side is one of two that are compared, and its measurements.
type side struct {
	settings       []string
	space          *workspace
	applies, plans []spent
}

// spent is the time of a run: on the clock, and of the processors by the CLI and its provider together.
type spent struct{ wall, cpu time.Duration }

// compare applies and plans resources of the provider and of the floor, by turns. It plans the last apply.
func (b *bench) compare(ctx context.Context, c comparison, name, config string, floor string) ([]result, error) {
	ours, theirs := &side{}, &side{settings: []string{floor}}
	sides := []*side{ours, theirs}
	memory := &watch{}
	defer func() {
		for _, s := range sides {
			s.close()
		}
	}()
	for range c.applies {
		for _, s := range sides {
			if err := b.renew(s, config); err != nil {
				return nil, err
			}
			ours.space.watch = memory
			if err := s.take(ctx, apply, &s.applies); err != nil {
				return nil, err
			}
		}
	}
	for range c.plans {
		for _, s := range sides {
			if err := s.take(ctx, plan, &s.plans); err != nil {
				return nil, err
			}
		}
	}
	label := grouped(c.resources) + " " + name
	results := []result{
		compared("Plan of "+label, ours.plans, theirs.plans),
		compared("Apply of "+label, ours.applies, theirs.applies),
	}
	if memory.peakKiB > 0 {
		results = append(results, result{
			what: "Peak memory of the provider, " + label, unit: "MiB",
			target: mostMemory, measured: float64(memory.peakKiB) / 1024, shown: true,
		})
	}
	return results, nil
}

// renew begins with an empty account and an empty state.
func (b *bench) renew(s *side, config string) error {
	s.close()
	service, err := serve(sandbox.Options{})
	if err != nil {
		return err
	}
	s.space, err = b.workspace(service, config, slices.Concat(noLimits, s.settings)...)
	return err
}

// take runs a command and adds what it took.
func (s *side) take(ctx context.Context, command []string, all *[]spent) error {
	wall, err := s.space.run(ctx, command)
	took := spent{wall, s.space.cpu}
	*all = append(*all, took)
	fmt.Fprintf(s.space.bench.out, "%s: %s, processors %s.\n", command[0], seconds(took.wall), seconds(took.cpu))
	return err
}

func (s *side) close() {
	if s.space != nil {
		s.space.service.Close()
	}
}

// compared is the median of the ratios of successive measurements: a machine that is slower for a while is so for
// both.
func compared(what string, ours, floor []spent) result {
	var ratios, cpus []float64
	var walls [2][]time.Duration
	for i := range ours {
		ratios = append(ratios, float64(ours[i].wall)/float64(floor[i].wall))
		cpus = append(cpus, float64(ours[i].cpu)/float64(floor[i].cpu))
		walls[0], walls[1] = append(walls[0], ours[i].wall), append(walls[1], floor[i].wall)
	}
	note := fmt.Sprintf("%s, %s; of the processors %s%s",
		seconds(median(walls[0])), seconds(median(walls[1])), number(median(cpus)), unitTimes)
	if len(ours) > 1 {
		note += fmt.Sprintf("; medians of %d", len(ours))
	}
	return result{what: what, unit: unitTimes, target: mostOverFloor, measured: median(ratios), note: note}
}

// median is the middle one, or what lies between the middle two.
func median[T float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
