package einvoice

import (
	"errors"
	"iter"
)

// Each hands over the first entries of a list that match, as many as limit, and reports
// whether more do. It reads no further page than that needs.
func Each[T any](list iter.Seq2[*T, error], matches func(*T) bool, limit int64, do func(*T)) (more bool, err error) {
	found := int64(0)
	for v, err := range list {
		switch {
		case err != nil:
			return false, err
		case !matches(v):
		case found == limit:
			return true, nil
		default:
			found++
			do(v)
		}
	}
	return false, nil
}

// Matching collects the objects of a list that match. A list that was changed while it was read is read once more.
func Matching[T any](list iter.Seq2[*T, error], match func(*T) bool) ([]*T, error) {
	found, err := matching(list, match)
	if errors.Is(err, errIncomplete) {
		found, err = matching(list, match)
	}
	return found, err
}

func matching[T any](list iter.Seq2[*T, error], match func(*T) bool) (found []*T, err error) {
	for v, err := range list {
		switch {
		case err != nil:
			return nil, err
		case match(v):
			found = append(found, v)
		}
	}
	return found, nil
}

// All collects a whole list.
func All[T any](list iter.Seq2[*T, error]) ([]*T, error) {
	return Matching(list, func(*T) bool { return true })
}
