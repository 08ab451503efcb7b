package message

// Front is where a person asked for what failed. It decides how they go on: an
// apply comes back to a block by itself, an action runs only when it is invoked,
// and has neither a state nor a plan that would show what happened.
type Front int

// The fronts: the blocks of a configuration, and the actions.
const (
	Apply Front = iota
	Action
)

// Either is the text for this front.
func (f Front) Either(apply, action string) string {
	if f == Action {
		return action
	}
	return apply
}

// Again is what a person does to go on, in the middle of a sentence.
func (f Front) Again() string { return f.Either("run apply again", "invoke the action again") }
