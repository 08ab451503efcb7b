package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture/postgres"
)

// shared is a number of creations under the service's real limit, by one or more runs of the CLI that use one key.
type shared struct {
	what     string
	runs     int
	machines int // cache directories
	database bool
	over     float64
}

// apart is the time between the starts of two cases, because the processors work while a CLI starts and ends.
const apart = 5 * time.Second

var schedules = []shared{
	{"one run", 1, 1, false, 5},
	{"two runs on one machine", 2, 1, false, 15},
	{"two runs on two machines", 2, 2, false, 15},
	{"two runs on two machines with a shared database", 2, 2, true, 5},
}

// scheduling measures how much longer creations take than the limit asks for. Nearly all of it is waiting, so that the
// cases wait side by side.
func (b *bench) scheduling(ctx context.Context) ([]result, error) {
	creations := 120
	if !b.sizes.limited {
		creations = 20
	}
	database, err := postgres.New()
	if err != nil && !errors.Is(err, postgres.ErrMissing) {
		return nil, err
	}
	if database != nil {
		defer database.Remove()
	}
	measured := make([][]result, len(schedules))
	group, ctx := errgroup.WithContext(ctx)
	for i, c := range schedules {
		if c.database && database == nil {
			fmt.Fprintf(b.out, "Without %s: it %s.\n", c.what, postgres.ErrMissing)
			continue
		}
		s, err := serve(sandbox.Options{RateLimit: true})
		if err != nil {
			return nil, err
		}
		defer s.Close()
		spaces, err := b.sharing(s, c, creations)
		if err != nil {
			return nil, err
		}
		if c.database {
			for _, w := range spaces {
				w.environ = append(w.environ, "EINVOICE_COORDINATION_URL="+database.URL(""))
			}
		}
		group.Go(func() (err error) {
			<-time.After(time.Duration(i) * apart)
			measured[i], err = c.measure(ctx, spaces, creations, b.sizes.limited)
			return err
		})
	}
	err = group.Wait()
	return slices.Concat(measured...), err
}

// sharing makes the workspaces of a case, which share the creations.
func (b *bench) sharing(s *sandbox.Server, c shared, creations int) ([]*workspace, error) {
	var spaces []*workspace
	for i := range c.runs {
		var settings []string
		if i > 0 && c.machines == 1 {
			settings = []string{"EINVOICE_CACHE_DIR=" + spaces[0].cache()}
		}
		w, err := b.workspace(s, customers(creations/c.runs), settings...)
		if err != nil {
			return nil, err
		}
		spaces = append(spaces, w)
	}
	return spaces, nil
}

// measure applies all workspaces at once.
func (c shared) measure(ctx context.Context, spaces []*workspace, creations int, limited bool) ([]result, error) {
	began := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for _, w := range spaces {
		group.Go(func() error {
			_, err := w.run(ctx, apply, "-parallelism=30")
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	took, least := time.Since(began), atLimit(creations)
	service := spaces[0].service
	refused := refusals(service)
	if made := len(service.Objects(sandbox.KindCustomers)); made != creations {
		return nil, fmt.Errorf("%s: %d customers were made, want %d", c.what, made, creations)
	}
	label := fmt.Sprintf("%d creations by %s", creations, c.what)
	longer := result{
		what: label + ": longer than the limit asks for", unit: unitPercent, target: c.over,
		measured: max(0, float64(took)/float64(least)-1) * 100,
		note:     fmt.Sprintf("%s, at least %s", seconds(took), seconds(least)),
		shown:    !limited, // So few are done before the CLI is.
	}
	if c.machines == 1 || c.database {
		return []result{longer, {what: label + ": refused", unit: "requests", measured: float64(refused)}}, nil
	}
	longer.note += fmt.Sprintf("; %d requests refused, none lost", refused)
	return []result{longer}, nil
}
