package session

import (
	"slices"
	"strings"
	"sync"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// Plan is the memory of a plan: what comes and what leaves while it is made. Whichever of two objects is planned
// second sees the first. An apply plans its objects again, with a memory of its own.
type Plan struct {
	mu      sync.Mutex
	objects map[[2]string][]Planned // in the order of their plans, by kind and by name or what is sold
}

// Role is what a plan does with an object.
type Role string

// The roles of objects. What a plan changes leaves as it was.
const (
	Comes   Role = "comes"
	Stays   Role = "stays"
	Leaves  Role = "leaves"  // is deleted, or only removed from state
	Cancels Role = "cancels" // leaves, and cancels what was issued
)

// Planned is an object of a plan.
type Planned struct {
	Role    Role
	Kind    string
	Name    string    // by which a person or the service knows it, in any case of letters; "" while it is not known
	Company string    // normalized tax number, "" for none
	Content string    // of what is sent, in short; "" while it is not known
	Sold    string    // of what is sold to whom, in short; "" for none
	Label   text.Text // for a person
	Block   string    // names the block in the journal, "" for none
}

// at is where an object is found by its name.
func (o Planned) at() [2]string { return [2]string{o.Kind, "name " + strings.ToLower(o.Name)} }

// mayFollow reports whether one of two objects comes while the other one leaves. A state may name a company that the
// configuration leaves out. Both halves of a replacement are one block.
func (o Planned) mayFollow(other Planned) bool {
	leaves := func(o Planned) bool { return o.Role == Leaves || o.Role == Cancels }
	isOtherCompany := o.Company != "" && other.Company != "" && o.Company != other.Company
	isSameBlock := o.Block != "" && o.Block == other.Block
	return (o.Role == Comes && leaves(other) || leaves(o) && other.Role == Comes) && !isOtherCompany && !isSameBlock
}

// Seen is what a plan has noted of other objects before.
type Seen struct {
	Named    []Planned // by the same name
	Twins    []Planned // of these, new objects of the same company beside a new one
	Renamed  []Planned // of these, what leaves where this one comes, or the other way round
	Repeated []Planned // the same by another name, and what sells the same
}

// Note adds an object to the plan, and returns what was noted before.
func (p *Plan) Note(now Planned) (seen Seen) {
	if p == nil || now.Name == "" {
		return seen
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	seen.Named = p.add(now.at(), now)
	for _, other := range seen.Named {
		switch {
		case now.mayFollow(other):
			seen.Renamed = append(seen.Renamed, other)
		case now.Role == Comes && other.Role == Comes && now.Company == other.Company:
			seen.Twins = append(seen.Twins, other)
		}
	}
	if now.Sold == "" {
		return seen
	}
	for _, other := range p.add([2]string{now.Kind, "sold " + now.Sold}, now) {
		isRepeated := now.at() != other.at() && now.mayFollow(other)
		if isRepeated && !slices.ContainsFunc(p.objects[other.at()], other.mayFollow) { // Else it is renamed itself.
			seen.Repeated = append(seen.Repeated, other)
		}
	}
	return seen
}

// add adds an object, and returns those that were there before.
func (p *Plan) add(at [2]string, now Planned) (before []Planned) {
	if p.objects == nil {
		p.objects = map[[2]string][]Planned{}
	}
	before = p.objects[at]
	p.objects[at] = append(before, now)
	return before
}

// NoteFirst reports whether something is noted for the first time: many objects may give one reason for a warning.
func (p *Plan) NoteFirst(kind, name string) bool {
	return len(p.Note(Planned{Kind: "first " + kind, Name: name}).Named) == 0
}

// NotePlanned is Note for a session that may be nil. A new object is the acting company's, and is not noted while that
// is not known.
func (s *Session) NotePlanned(now Planned) Seen {
	isUnknown := s != nil && now.Role == Comes && s.Account != nil && s.Issuer == ""
	if s == nil || isUnknown {
		return Seen{}
	}
	if now.Role == Comes {
		now.Company = s.Issuer
	}
	return s.Planned.Note(now)
}

// NoteLabel tells the plan how to name an object to a person, by its kind and id.
func (s *Session) NoteLabel(kind, id string, label text.Text) {
	s.NotePlanned(Planned{Role: Stays, Kind: kind + " by id", Name: id, Label: label})
}

// LabelOf names an object to a person, by its id alone where the plan knows no more.
func (s *Session) LabelOf(kind, id string) text.Text {
	if s != nil && s.Planned != nil {
		s.Planned.mu.Lock()
		defer s.Planned.mu.Unlock()
		if noted := s.Planned.objects[Planned{Kind: kind + " by id", Name: id}.at()]; len(noted) > 0 {
			return noted[0].Label
		}
	}
	return text.Of("object.by_id", text.With{"id": id})
}
