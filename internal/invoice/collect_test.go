package invoice

import (
	"errors"
	"iter"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

func TestCollect(t *testing.T) {
	t.Parallel()
	broken := errors.New("page 2 failed")
	list := func(looked *int, end error, statuses ...einvoice.Enum) iter.Seq2[*einvoice.Invoice, error] {
		return func(yield func(*einvoice.Invoice, error) bool) {
			for _, status := range statuses {
				*looked++
				if !yield(&einvoice.Invoice{Status: status}, nil) {
					return
				}
			}
			if end != nil {
				yield(nil, end)
			}
		}
	}
	authorized := &invoiceWish{statuses: []string{"authorized"}}
	for _, test := range []struct {
		name     string
		statuses []einvoice.Enum
		end      error
		wish     *invoiceWish
		limit    int64
		want     int
		more     bool
		looked   int
		err      error
	}{
		{"an empty list", nil, nil, &invoiceWish{}, 2, 0, false, 0, nil},
		{"fewer than the limit", []einvoice.Enum{"authorized"}, nil, &invoiceWish{}, 2, 1, false, 1, nil},
		{"exactly the limit is not cut", []einvoice.Enum{"authorized", "denied"}, nil, &invoiceWish{}, 2, 2, false, 2, nil},
		{"one above the limit is cut, and no more is read", []einvoice.Enum{"authorized", "denied", "denied", "denied"}, nil, &invoiceWish{}, 2, 2, true, 3, nil},
		{"the limit counts after filtering", []einvoice.Enum{"denied", "denied", "authorized"}, nil, authorized, 1, 1, false, 3, nil},
		{"a failing page is an error, not an end", []einvoice.Enum{"authorized"}, broken, &invoiceWish{}, 2, 0, false, 1, broken},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			looked := 0
			found, more, err := einvoice.Collect(list(&looked, test.end, test.statuses...), test.wish.matches, test.limit)
			if len(found) != test.want || more != test.more || looked != test.looked || !errors.Is(err, test.err) {
				t.Errorf("found %d, more %t, looked at %d, error %v; want %d, %t, %d, %v", len(found), more, looked, err, test.want, test.more, test.looked, test.err)
			}
		})
	}
}
