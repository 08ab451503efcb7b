package session

import "sync"

// Names remembers what a run plans to make under a name that should be one object's
// only, such as a customer's tax number. A run plans each new object once, so that a
// name that comes again is another block's.
type Names struct {
	mu    sync.Mutex
	first map[[2]string]string
}

// Taken tells that another new object of the kind has the name, and what it is called.
func (n *Names) Taken(kind, name, label string) (first string, taken bool) {
	if n == nil || name == "" {
		return "", false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	key := [2]string{kind, name}
	if first, taken = n.first[key]; taken {
		return first, true
	}
	if n.first == nil {
		n.first = map[[2]string]string{}
	}
	n.first[key] = label
	return "", false
}

// Twin reports whether another new object of the kind and of the same company has the
// name, and what that one holds. While the company or the name is not known, nothing is.
func (s *Session) Twin(kind, name, content string) (first string, taken bool) {
	isUnknownIssuer := s != nil && s.Account != nil && s.Issuer == ""
	if s.Deferred() || name == "" || isUnknownIssuer {
		return "", false
	}
	return s.Planned.Taken(kind, s.Issuer+"/"+name, content)
}
