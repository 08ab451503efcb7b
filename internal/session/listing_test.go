package session

import (
	"iter"
	"math"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// numbers is a list of so many entries.
func numbers(count int) iter.Seq2[*int, error] {
	return func(yield func(*int, error) bool) {
		for n := range count {
			if !yield(&n, nil) {
				return
			}
		}
	}
}

func TestListing_readsAsManyAsTheLimit(t *testing.T) {
	t.Parallel()
	even := func(n *int) bool { return *n%2 == 0 }
	for name, test := range map[string]struct {
		entries int
		matches func(*int) bool
		limit   types.Int64
		usual   int64
		want    int // -1 for an error
		cut     bool
	}{
		"none":                          {limit: types.Int64Null(), want: 0},
		"as many as without a limit":    {entries: 5000, limit: types.Int64Null(), want: 5000},
		"one more":                      {entries: 5001, limit: types.Int64Null(), want: -1},
		"as many as the limit":          {entries: 3, limit: types.Int64Value(3), want: 3},
		"one more than the limit":       {entries: 4, limit: types.Int64Value(3), want: 3, cut: true},
		"a limit above the usual one":   {entries: 5001, limit: types.Int64Value(6000), want: 5001},
		"only what matches counts":      {entries: 6, matches: even, limit: types.Int64Value(3), want: 3},
		"a list without a limit":        {entries: 6000, limit: types.Int64Null(), usual: math.MaxInt64, want: 6000},
		"a limit of a list without one": {entries: 4, limit: types.Int64Value(3), usual: math.MaxInt64, want: 3, cut: true},
		"one more that matches":         {entries: 9, matches: even, limit: types.Int64Value(3), want: 3, cut: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listing := Listing[int, int]{
				Plural: "numbers", Entries: numbers(test.entries), Matches: test.matches, Limit: test.limit, Default: test.usual,
				Model: func(n *int) int { return *n },
			}
			models, diags := listing.Read(t.Context())
			if diags.HasError() != (test.want < 0) || (models == nil) != (test.want < 0) {
				t.Fatalf("read %d, %v; want %d", len(models), diags, test.want)
			}
			if cut := len(diags) > 0 && !diags.HasError(); cut != test.cut {
				t.Errorf("it says %v", diags)
			}
			if test.want >= 0 && len(models) != test.want {
				t.Errorf("read %d, want %d", len(models), test.want)
			}
		})
	}
}
