// Command picture draws what a terminal printed as an SVG image.
//
//	go run ./internal/cmd/demo | go run ./internal/cmd/picture [-from '=== 5'] [-to '=== 7'] [-title 'make demo'] >image.svg
//
// It draws the lines of its input from the first that begins with -from up to the first after that which begins with
// -to. `make picture` makes the image in the README with it, from a real run.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	from := flag.String("from", "", "what the first line begins with; empty for the first there is")
	to := flag.String("to", "", "what the line after the last begins with; empty for all there are")
	title := flag.String("title", "", "the title of the window")
	flag.Parse()
	lines, err := cut(os.Stdin, *from, *to)
	if err == nil {
		err = draw(os.Stdout, *title, lines)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// cut reads all of in and returns the lines asked for, without blank ones at
// either end. That there are none is an error: the input is not what it was
// taken for.
func cut(in io.Reader, from, to string) ([]string, error) {
	var lines []string
	started, ended := from == "", false
	scanner := bufio.NewScanner(in)
	for scanner.Scan() {
		line := strings.TrimRight(scanner.Text(), " ")
		started = started || strings.HasPrefix(line, from)
		ended = ended || started && len(lines) > 0 && to != "" && strings.HasPrefix(line, to)
		if started && !ended && (line != "" || len(lines) > 0) {
			lines = append(lines, line)
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, err
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return nil, errors.New("the input has no such lines")
	}
	if to != "" && !ended {
		return nil, fmt.Errorf("no line begins with %q: the run has not come that far", to)
	}
	return lines, nil
}
