package main

import (
	"fmt"
	"math"
	"strings"
)

// The plot, in units of its own. Both axes are logarithmic.
const (
	plotWidth, plotHeight   = 760, 430
	plotLeft, plotRight     = 78, 676
	plotTop, plotBottom     = 64, 374
	mostObjects, mostToRead = 10_000, 10_000
)

// style is the look of the plot. Text and lines have a gray that can be read on
// white and on black, and better ones for viewers that tell which it is.
const style = `
    text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #6e7681; }
    .title { font-size: 15px; font-weight: 600; }
    .axis { stroke: #6e7681; stroke-width: 1; fill: none; }
    .grid { stroke: #6e7681; stroke-opacity: .25; stroke-width: 1; }
    .line { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
    .each { stroke: #d4622a; } .same { stroke: #2f81f7; } .large { stroke: #8957e5; stroke-dasharray: 7 4; }
    .each-text { fill: #d4622a; } .same-text { fill: #2f81f7; } .large-text { fill: #8957e5; }
    .dot { fill: #2f81f7; }
    @media (prefers-color-scheme: light) { text { fill: #424a53; } .each-text { fill: #b34a15; } .same-text { fill: #0759c0; } .large-text { fill: #6639ba; } }
    @media (prefers-color-scheme: dark) { text { fill: #c9d1d9; } .each-text { fill: #ffa657; } .same-text { fill: #79c0ff; } .large-text { fill: #d2a8ff; } }
  `

func across(objects float64) float64 {
	return plotLeft + (plotRight-plotLeft)*math.Log10(objects)/math.Log10(mostObjects)
}

func up(requests float64) float64 {
	return plotBottom - (plotBottom-plotTop)*math.Log10(requests)/math.Log10(mostToRead)
}

// plot draws what plans cost, as the formula has it and as it was measured.
func plot(points []point) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="title about">`+"\n", plotWidth, plotHeight)
	b.WriteString("  <title id=\"title\">Requests of a plan by the number of objects</title>\n")
	b.WriteString("  <desc id=\"about\">One read each costs as many requests as there are objects. This provider needs two requests for each hundred objects of the account, or fewer.</desc>\n")
	fmt.Fprintf(&b, "  <style>%s</style>\n", style)
	b.WriteString("  <text class=\"title\" x=\"12\" y=\"24\">Requests of a plan that changes nothing</text>\n")
	b.WriteString("  <text x=\"12\" y=\"44\">customers, products, webhooks or companies; dots are measured, some in accounts of a size in between</text>\n")
	axes(&b)
	curve(&b, "each", func(n int) int { return n })
	curve(&b, "large", func(n int) int { return refreshRequests(n, fullSizes.account, pageSize) })
	curve(&b, "same", func(n int) int { return refreshRequests(n, n, pageSize) })
	for _, p := range points {
		if p.objects >= 1 && p.requests >= 1 {
			fmt.Fprintf(&b, "  <circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"><title>%s objects in an account of %s: %s requests</title></circle>\n",
				across(float64(p.objects)), up(float64(p.requests)), grouped(p.objects), grouped(p.account), grouped(p.requests))
		}
	}
	label(&b, "each-text", "end", across(700), up(1100), "one read each")
	label(&b, "large-text", "end", plotRight-8, up(560), "in an account of "+grouped(fullSizes.account))
	label(&b, "same-text", "start", across(420), up(2.4), "in an account of no others")
	b.WriteString("</svg>\n")
	return b.String()
}

// axes draws the frame, requests on the left, and on the right how long they take
// under the limit.
func axes(b *strings.Builder) {
	for n := 1; n <= mostObjects; n *= 10 {
		x, y := across(float64(n)), up(float64(n))
		fmt.Fprintf(b, "  <line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", x, plotTop, x, plotBottom)
		fmt.Fprintf(b, "  <line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", plotLeft, y, plotRight, y)
		label(b, "", "middle", x, plotBottom+20, grouped(n))
		label(b, "", "end", plotLeft-8, y+4, grouped(n))
	}
	for _, tick := range []struct {
		requests int
		text     string
	}{{60, "11 s"}, {600, "9 min"}, {3600, "1 h"}} {
		y := up(float64(tick.requests))
		fmt.Fprintf(b, "  <line class=\"axis\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", plotRight, y, plotRight+6, y)
		label(b, "", "start", plotRight+10, y+4, tick.text)
	}
	fmt.Fprintf(b, "  <path class=\"axis\" d=\"M%d %dV%dH%dV%d\"/>\n", plotLeft, plotTop, plotBottom, plotRight, plotTop)
	label(b, "", "middle", (plotLeft+plotRight)/2, plotBottom+44, "objects in the workspace")
	middle := (plotTop + plotBottom) / 2
	fmt.Fprintf(b, "  <text text-anchor=\"middle\" transform=\"translate(18 %d) rotate(-90)\">requests</text>\n", middle)
	fmt.Fprintf(b, "  <text text-anchor=\"middle\" transform=\"translate(%d %d) rotate(90)\">least time under the limit</text>\n", plotWidth-16, middle)
}

func label(b *strings.Builder, class, anchor string, x, y float64, text string) {
	if class != "" {
		class = " class=\"" + class + "\""
	}
	fmt.Fprintf(b, "  <text%s text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", class, anchor, x, y, text)
}

// curve draws a cost by the number of objects.
func curve(b *strings.Builder, class string, cost func(int) int) {
	var d strings.Builder
	for exponent := 0.0; exponent <= math.Log10(mostObjects)+1e-9; exponent += 0.02 {
		n := int(math.Round(math.Pow(10, exponent)))
		command := "L"
		if d.Len() == 0 {
			command = "M"
		}
		fmt.Fprintf(&d, "%s%.1f %.1f", command, across(float64(n)), up(float64(cost(n))))
	}
	fmt.Fprintf(b, "  <path class=\"line %s\" d=\"%s\"/>\n", class, d.String())
}
