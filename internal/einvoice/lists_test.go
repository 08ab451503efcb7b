package einvoice

import (
	"errors"
	"iter"
	"testing"
)

func TestCollect(t *testing.T) {
	t.Parallel()
	broken := errors.New("page 2 failed")
	list := func(looked *int, end error, statuses ...Enum) iter.Seq2[*Invoice, error] {
		return func(yield func(*Invoice, error) bool) {
			for _, status := range statuses {
				*looked++
				if !yield(&Invoice{Status: status}, nil) {
					return
				}
			}
			if end != nil {
				yield(nil, end)
			}
		}
	}
	all := func(*Invoice) bool { return true }
	authorized := func(v *Invoice) bool { return v.Status == "authorized" }
	for _, test := range []struct {
		name     string
		statuses []Enum
		end      error
		match    func(*Invoice) bool
		limit    int64
		want     int
		more     bool
		looked   int
		err      error
	}{
		{"an empty list", nil, nil, all, 2, 0, false, 0, nil},
		{"fewer than the limit", []Enum{"authorized"}, nil, all, 2, 1, false, 1, nil},
		{"exactly the limit is not cut", []Enum{"authorized", "denied"}, nil, all, 2, 2, false, 2, nil},
		{"one above the limit is cut, and no more is read", []Enum{"authorized", "denied", "denied", "denied"}, nil, all, 2, 2, true, 3, nil},
		{"the limit counts after filtering", []Enum{"denied", "denied", "authorized"}, nil, authorized, 1, 1, false, 3, nil},
		{"a failing page is an error, not an end", []Enum{"authorized"}, broken, all, 2, 0, false, 1, broken},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			looked := 0
			found, more, err := Collect(list(&looked, test.end, test.statuses...), test.match, test.limit)
			if len(found) != test.want || more != test.more || looked != test.looked || !errors.Is(err, test.err) {
				t.Errorf("found %d, more %t, looked at %d, error %v; want %d, %t, %d, %v", len(found), more, looked, err, test.want, test.more, test.looked, test.err)
			}
		})
	}
}
