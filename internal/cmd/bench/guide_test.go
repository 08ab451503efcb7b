package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func measured() report {
	return report{machine: "a machine", tables: []table{
		{title: "Requests of a plan", results: []result{{what: "A", unit: "requests", target: 2, measured: 2, point: &point{5, 50_000, 6}}}},
		{title: "Others", results: []result{{what: "B", unit: unitTimes, target: 1, measured: 2}}},
	}}
}

func TestWriteGuide_replacesWhatIsBetweenTheLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	guide, picture := filepath.Join(dir, "guide.md"), filepath.Join(dir, "images", "plot.svg")
	if err := os.WriteFile(guide, []byte("# Before\n\n"+guideBegin+"old\n"+guideEnd+"\nAfter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // The second time on what the first has written.
		if err := writeGuide(guide, picture, measured()); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Before\n\n" + guideBegin + "\nMeasured with a machine: 1 of 2 targets are met.\n\n### Requests of a plan\n\n| What", guideEnd + "\nAfter\n", "| B | 1× | 2× | no, 100 % over |"} {
		if strings.Count(string(raw), want) != 1 {
			t.Errorf("the guide lacks %q:\n%s", want, raw)
		}
	}
	if strings.Contains(string(raw), "old") {
		t.Error("the guide keeps what was there before")
	}
	if drawn, err := os.ReadFile(picture); err != nil || !strings.HasPrefix(string(drawn), "<svg ") {
		t.Errorf("the plot is %.20q, %v", drawn, err)
	}
}

func TestWriteGuide_needsItsLines(t *testing.T) {
	t.Parallel()
	guide := filepath.Join(t.TempDir(), "guide.md")
	if err := os.WriteFile(guide, []byte(guideEnd+guideBegin), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeGuide(guide, filepath.Join(t.TempDir(), "plot.svg"), measured()); err == nil || !strings.Contains(err.Error(), guideBegin) {
		t.Errorf("got %v", err)
	}
}

// The guide predicts by the formula that the bench asks for.
func TestGuide_showsTheFormulaAndThePlot(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	raw, err := os.ReadFile(filepath.Join(root, guideFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{predicted(), guideBegin, guideEnd, "https://raw.githubusercontent.com/einvoice-br/terraform-provider-einvoice/main/" + plotFile} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the guide lacks:\n%s", want)
		}
	}
	if _, err := os.Stat(filepath.Join(root, plotFile)); err != nil {
		t.Error(err)
	}
}

func TestPlot_isWholeAndShowsEachPoint(t *testing.T) {
	t.Parallel()
	drawn := plot([]point{{1, 1, 1}, {5, 50_000, 6}, {1000, 1000, 11}, {3, 3, 0}})
	decoder := xml.NewDecoder(strings.NewReader(drawn))
	elements := map[string]int{}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			elements[start.Name.Local]++
		}
	}
	// Requests of zero have no place on a logarithmic axis.
	if elements["circle"] != 3 || elements["svg"] != 1 || elements["path"] != 4 {
		t.Errorf("it has %v", elements)
	}
	for _, want := range []string{"prefers-color-scheme: dark", "5 objects in an account of 50,000: 6 requests", ">10,000<", "one read each"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("the plot lacks %q", want)
		}
	}
	if strings.Contains(drawn, "NaN") || strings.Contains(drawn, "Inf") {
		t.Error("the plot has places that are none")
	}
}

func TestPlot_placesBothAxesLogarithmically(t *testing.T) {
	t.Parallel()
	if left, right := across(1), across(mostObjects); left != plotLeft || right != plotRight {
		t.Errorf("the objects go from %v to %v", left, right)
	}
	if bottom, top := up(1), up(mostToRead); bottom != plotBottom || top != plotTop {
		t.Errorf("the requests go from %v to %v", bottom, top)
	}
	if middle := across(100); middle != (plotLeft+plotRight)/2 {
		t.Errorf("a hundred objects are at %v", middle)
	}
}
