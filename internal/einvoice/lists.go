package einvoice

import (
	"iter"
	"math"
)

// Collect takes the first entries of a list that match, and tells whether the
// list goes on behind them. It looks at one more entry to know that, and reads
// no further page than that needs.
func Collect[T any](list iter.Seq2[*T, error], matches func(*T) bool, limit int64) (found []*T, more bool, err error) {
	for v, err := range list {
		if err != nil {
			return nil, false, err
		}
		if int64(len(found)) >= limit {
			return found, true, nil
		}
		if matches(v) {
			found = append(found, v)
		}
	}
	return found, false, nil
}

// Matching collects the objects of a list that match.
func Matching[T any](list iter.Seq2[*T, error], match func(*T) bool) ([]*T, error) {
	found, _, err := Collect(list, match, math.MaxInt64)
	return found, err
}

// All collects a whole list.
func All[T any](list iter.Seq2[*T, error]) ([]*T, error) {
	return Matching(list, func(*T) bool { return true })
}
