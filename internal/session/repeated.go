package session

import "sync"

// Names has the names that a run plans to give to new objects, such as a customer's tax
// number. A run plans each new object once: a name that comes again is another block's.
type Names struct{ labels sync.Map }

// Taken reports whether another new object of the kind has the name, and returns the label
// of that object.
func (n *Names) Taken(kind, name, label string) (first string, taken bool) {
	if n == nil || name == "" {
		return "", false
	}
	held, taken := n.labels.LoadOrStore([2]string{kind, name}, label)
	if !taken {
		return "", false
	}
	return held.(string), true //nolint:forcetypeassert // Nothing else is stored there.
}

// Twin reports whether another new object of the kind and of the same company has the name,
// and returns the content of that object. While company or name are unknown, none has it.
func (s *Session) Twin(kind, name, content string) (first string, taken bool) {
	if s.Deferred() || name == "" || s.Account != nil && s.Issuer == "" {
		return "", false
	}
	return s.Planned.Taken(kind, s.Issuer+"/"+name, content)
}
