package einvoice

import (
	"errors"
	"iter"
	"testing"
)

func TestEach_handsOverAsManyAsTheLimit(t *testing.T) {
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
		looked := 0
		found := 0
		more, err := Each(list(&looked, test.end, test.statuses...), test.match, test.limit, func(*Invoice) { found++ })
		if err != nil {
			found = 0
		}
		if found != test.want || more != test.more || looked != test.looked || !errors.Is(err, test.err) {
			t.Errorf("%s: found %d, more %t, looked at %d, error %v; want %d, %t, %d, %v", test.name, found, more, looked, err, test.want, test.more, test.looked, test.err)
		}
	}
}

func TestMatching_readsAListThatChangesOnceMore(t *testing.T) {
	t.Parallel()
	broken := errors.New("page 2 failed")
	for name, test := range map[string]struct {
		ends  []error // of each reading
		found int
		err   error
	}{
		"it is whole":                   {[]error{nil}, 1, nil},
		"it changed while it was read":  {[]error{errIncomplete, nil}, 1, nil},
		"it never shows what it counts": {[]error{errIncomplete, errIncomplete}, 0, errIncomplete},
		"it cannot be read":             {[]error{broken}, 0, broken},
	} {
		readings := 0
		list := func(yield func(*Invoice, error) bool) {
			end := test.ends[readings]
			readings++
			if yield(&Invoice{}, nil) && end != nil {
				yield(nil, end)
			}
		}
		found, err := Matching(list, func(*Invoice) bool { return true })
		if len(found) != test.found || !errors.Is(err, test.err) || readings != len(test.ends) {
			t.Errorf("%s: found %d, error %v after %d readings; want %d, %v, %d", name, len(found), err, readings, test.found, test.err, len(test.ends))
		}
	}
}
