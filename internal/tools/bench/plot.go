package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
)

// chart is what internal/tools/plot draws: the requests of plans by the number of objects.
type chart struct {
	Title, X, Y string
	Lines       []line
	Measured    []point
}

type line struct {
	Name   string
	Points []point
}

type point struct{ X, Y float64 }

// mostObjects is where the axis ends.
const mostObjects = 10_000

// newChart has what plans cost by the formula, and what was measured.
func newChart(made []table) chart {
	c := chart{
		Title: "Requests of a plan that changes nothing", X: "objects in the workspace", Y: "requests",
		Lines: []line{
			{"one read each", curve(func(n int) int { return n })},
			{"at most, in an account of no others", curve(func(n int) int { return refreshRequests(n, n, pageSize) })},
			{
				"at most, in an account of " + grouped(fullSizes.account),
				curve(func(n int) int { return refreshRequests(n, fullSizes.account, pageSize) }),
			},
		},
	}
	for _, t := range made {
		for _, r := range t.runs[0].results { // Requests are the same with each CLI.
			if r.objects > 0 && r.measured > 0 { // Zero has no place on a logarithmic axis.
				c.Measured = append(c.Measured, point{float64(r.objects), r.measured})
			}
		}
	}
	return c
}

func curve(cost func(int) int) []point {
	var points []point
	for exponent := 0.0; exponent <= math.Log10(mostObjects)+1e-9; exponent += 0.02 {
		n := math.Round(math.Pow(10, exponent))
		points = append(points, point{n, float64(cost(int(n)))})
	}
	return points
}

// draw writes the image of a chart. It runs from the root of a checkout.
func (c chart) draw(ctx context.Context, file string) error {
	content, err := json.Marshal(c)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "run", "-C", "internal/tools/plot", ".")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(content), os.Stderr
	image, err := cmd.Output()
	if err != nil {
		return err
	}
	return os.WriteFile(file, image, 0o644) //nolint:gosec // A picture for everybody.
}
