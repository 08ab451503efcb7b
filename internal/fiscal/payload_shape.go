package fiscal

import (
	_ "embed" // The table.
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agext/levenshtein"
)

// kind is what a member of an issuing body holds, as the table names it.
type kind string

const (
	anything kind = "anything"
	aText    kind = "text"
	aNumber  kind = "number"
	aFlag    kind = "flag"
	aDate    kind = "date"
	anObject kind = "object"
	aList    kind = "list"

	aListOfObjects kind = "objects" // in a message alone
)

// member is what is known of a member of an issuing body.
type member struct {
	kind      kind
	max       int      // characters that the service takes, 0 where no limit is known
	layout    int      // characters that the layout of the NF-e has for it
	words     []string // of an enum
	specified bool     // the specification shows the words; those of the others are assumed
	of        *shape   // the members of an object, or of each object in a list
}

// shape are the members of an object that are known. The specification shows none of the issuing bodies whole: what it
// does not show comes from its read shapes and from the reports of integrations (see the package doc of the client).
type shape struct {
	members map[string]member
	others  map[string]string // names that are certainly wrong, with the right ones
	open    bool              // there are more members than are known here: only a slip is worth a word
}

// A row is about members of one or more objects; "..." marks an open one. No source shows presence 5 and changeAmount.
//
//go:embed shapes.csv
var shapesCSV string

var shapes = sync.OnceValue(func() map[string]*shape {
	all := map[string]*shape{}
	named := func(name string) *shape {
		if all[name] == nil {
			all[name] = &shape{members: map[string]member{}, others: map[string]string{}}
		}
		return all[name]
	}
	for _, row := range tableRows(shapesCSV) {
		m := member{kind: kind(row[2])}
		m.max, _ = strconv.Atoi(row[3]) // "" is 0.
		m.layout, _ = strconv.Atoi(row[4])
		if strings.HasSuffix(row[2], "word") {
			m.kind, m.specified, m.words = aText, row[2] == "specified word", strings.Fields(row[5])
		} else if row[5] != "" {
			m.of = named(row[5])
		}
		for _, of := range strings.Fields(row[0]) {
			for _, name := range strings.Fields(row[1]) {
				switch {
				case name == "...":
					named(of).open = true
				case row[2] == "another name":
					named(of).others[name] = row[5]
				default:
					named(of).members[name] = m
				}
			}
		}
	}
	return all
})

func shapeOf(model string) *shape {
	if model == modelNFSe {
		return shapes()["service"]
	}
	return shapes()["goods"]
}

// walk visits the members of an object that are not null, in the order of their
// paths: those that are known, and those that are not.
func (s *shape) walk(at string, value map[string]any,
	known func(at string, m member, value any), unknown func(at, name string, of *shape),
) {
	for _, name := range slices.Sorted(maps.Keys(value)) {
		path := strings.TrimPrefix(at+"."+name, ".")
		m, ok := s.members[name]
		switch {
		case value[name] == nil:
			continue
		case !ok:
			unknown(path, name, s)
			continue
		}
		known(path, m, value[name])
		if m.of == nil {
			continue
		}
		switch v := value[name].(type) {
		case map[string]any:
			if m.kind == anObject {
				m.of.walk(path, v, known, unknown)
			}
		case []any:
			for i, element := range v {
				if part, ok := element.(map[string]any); ok && m.kind == aList {
					m.of.walk(indexed(path, i), part, known, unknown)
				}
			}
		}
	}
}

// nearest is the known member that a name was probably meant to be, or "".
func (s *shape) nearest(name string) string {
	if right := s.others[name]; right != "" {
		return right
	}
	best, least := "", 3
	if s.open {
		least = 2 // There are other members, which may be called much alike.
	}
	plain := strings.ReplaceAll(name, "_", "")
	for _, candidate := range slices.Sorted(maps.Keys(s.members)) {
		if strings.EqualFold(plain, candidate) {
			return candidate
		}
		apart := levenshtein.Distance(strings.ToLower(name), strings.ToLower(candidate), nil)
		if apart < least && apart*3 <= len(candidate) {
			best, least = candidate, apart
		}
	}
	return best
}
