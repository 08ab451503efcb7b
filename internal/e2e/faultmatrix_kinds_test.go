package e2e_test

import (
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// requestKinds are the columns of the tables. The first ones take longest.
var requestKinds = slices.Concat(
	invoiceKinds, orderKinds, letterKinds, declarationKinds, customerKinds, productKinds, webhookKinds, secretKinds, companyKinds, settingsKinds, certificateKinds, dataKinds)

// requestKind is one kind of request that the provider sends.
type requestKind struct {
	group, name string // as the guide shows them
	class       class

	// The request of the run that the faults hit: skip is how many like it, and
	// before how many of any kind, the run sends ahead of it.
	method, path string
	skip, before int
	list         bool // its answer is a list

	options sandbox.Options
	// seed prepares the service, and returns what stands in the configurations for
	// words in capitals.
	seed func(s *sandbox.Server) map[string]string
	// given is applied before the faults, wanted under them: arguments of the
	// resource, or of the data source.
	resource      string // einvoice_customer, or data.einvoice_customer
	given, wanted string
	destroy       bool // the faulty run destroys what is given
	planOnly      bool // the faulty run plans: what is tested is a read

	// By the name of the fault: how it is met instead of by the rule, and what the
	// user reads instead of the fault's own words.
	instead map[string]meeting
	says    map[string]string
	// task is in the summary of each error, as a regular expression; standing in
	// that of warnings that come without any fault, adopts in that of one that tells
	// of a look-up.
	task, standing, adopts string

	// objects is the kind of what the service is to hold, and bystander one of them
	// that nobody may touch: other answers are about it.
	objects   string
	bystander map[string]any
	other     func(s *sandbox.Server) string // the other answer, where it is not the bystander
	keeps     bool                           // destroying leaves the object at the service
	// done tells whether the service has done what the run is for. A run that ends
	// with an error at a read has not, unless acted says that the read comes later.
	done  func(c *cell) bool
	acted bool
	// named tells that what is created has a name by which it is found, so that what
	// shows nowhere may be sent again.
	named bool
	// person tells that the same run is refused while nobody knows what became of the
	// request, until a person has looked.
	person bool
	// writeOnly tells that the resource needs a CLI that knows write-only arguments.
	writeOnly bool
	// settled checks the service after all runs, and holds the state.
	settled func(c *cell) error
	holds   func(c *cell, attributes map[string]any) error
}

func (k *requestKind) isData() bool { return strings.HasPrefix(k.resource, "data.") }

func (k *requestKind) title() string { return k.group + ": " + k.name }

// class says what a request may do to the service.
type class int

const (
	classRead     class = iota
	classWrite          // doing it twice is doing it once
	classCreation       // doing it twice makes two
)

// meeting is how the provider meets a fault: a cell of the tables.
type meeting string

const (
	// meetRepeated sends the request again. A fault that outlasts the repetitions
	// is reported.
	meetRepeated meeting = "repeated"
	// meetSentAgain looks for what became of the request, and sends it again when that
	// shows nowhere. A fault that outlasts the repetitions is reported.
	meetSentAgain meeting = "sent again"
	// meetLookedUp finds out what became of the request, and sends nothing twice.
	meetLookedUp meeting = "looked up"
	// meetHarmless does without the answer.
	meetHarmless meeting = "harmless"
	// meetWarned goes on, with a warning.
	meetWarned meeting = "warned"
	// meetReported fails with an error and leaves the state as it is.
	meetReported meeting = "reported"
	// meetNone stands where the fault is an answer like any other.
	meetNone meeting = "–"
)

// meets is the rule by which a request meets a fault.
func (k *requestKind) meets(f *fault) meeting {
	if m, ok := k.instead[f.name]; ok {
		return m
	}
	switch f.nature {
	case natureLimited:
		return meetRepeated
	case natureLost:
		switch {
		case k.class != classCreation:
			return meetRepeated
		case f.processed:
			return meetLookedUp
		case k.named && f.passing:
			return meetSentAgain
		}
	case natureUnreadable, natureTooLarge:
		switch {
		case k.class == classCreation:
			return meetLookedUp
		case k.class == classWrite && f.nature == natureUnreadable:
			return meetHarmless
		}
	case natureUnsent, natureRefused:
	}
	return meetReported
}

// everyFault is met in one way, but for some.
func everyFault(m meeting, but map[string]meeting) map[string]meeting {
	all := map[string]meeting{}
	for _, f := range faults {
		all[f.name] = m
		if other, ok := but[f.name]; ok {
			all[f.name] = other
		}
	}
	return all
}
