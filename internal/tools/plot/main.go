// Command plot reads a chart as JSON and writes it as an SVG image. Both axes are logarithmic.
//
//	go run -C internal/tools/plot . <chart.json >chart.svg
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const width, height = 760, 430

// chart has the names of the bench, which writes it.
type chart struct {
	Title, X, Y string
	Lines       []struct {
		Name   string
		Points plotter.XYs
	}
	Measured plotter.XYs
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "plot:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var c chart
	if err := json.NewDecoder(in).Decode(&c); err != nil {
		return err
	}
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	plotter.DefaultFont = plot.DefaultFont
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.X, c.Y
	p.Title.Padding = vg.Points(12)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Scale, axis.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	p.Legend.Top, p.Legend.Left, p.Legend.XOffs = true, true, vg.Points(12)
	p.Add(plotter.NewGrid())
	for i, named := range c.Lines {
		line, err := plotter.NewLine(named.Points)
		if err != nil {
			return fmt.Errorf("the line %q: %w", named.Name, err)
		}
		line.Color, line.Dashes, line.Width = plotutil.DarkColors[i], plotutil.Dashes(i), vg.Points(2)
		p.Add(line)
		p.Legend.Add(named.Name, line)
	}
	dots, err := plotter.NewScatter(c.Measured)
	if err != nil {
		return fmt.Errorf("what was measured: %w", err)
	}
	dots.Shape, dots.Radius = draw.CircleGlyph{}, vg.Points(3.5)
	p.Add(dots)
	p.Legend.Add("measured", dots)
	p.X.Max *= 1.3 // Room for the last label.
	image, err := p.WriterTo(width, height, "svg")
	if err != nil {
		return err
	}
	var drawn bytes.Buffer
	if _, err := image.WriteTo(&drawn); err != nil {
		return err
	}
	_, err = out.Write(bytes.Replace(drawn.Bytes(), []byte("<g "), []byte(dark+"<g "), 1))
	return err
}

// dark is what changes for those who read in the dark: the colours that the plot has, and texts and dots, which have
// none.
const dark = `<style>
@media (prefers-color-scheme: dark) {
	svg { fill: #e6edf3 }
	[style*="fill:#FFFFFF"] { fill: #0d1117 !important }
	[style*="stroke:#000000"] { stroke: #e6edf3 !important }
	[style*="stroke:#EE2E2F"] { stroke: #ff7b72 !important }
	[style*="stroke:#008C48"] { stroke: #3fb950 !important }
	[style*="stroke:#185AA9"] { stroke: #58a6ff !important }
}
</style>
`
