package einvoice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
)

// answer is a 2xx answer with what an error about it names.
type answer struct {
	call     call
	status   int
	header   http.Header
	attempts int
	trace    string
	body     json.RawMessage // byte order mark and surrounding space taken off
	object   json.RawMessage // the object with an id that body holds, wrapper taken off; nil when there is none
	page     *page           // of a list entry: where it was
	listed   bool            // only a list shows the object, which may lag
}

// bad is the error for a 2xx whose body does not say what it must.
func (a *answer) bad(text string) *Error { return a.unusable(errors.New(text)) }

func (a *answer) unusable(cause error) *Error {
	return &Error{
		Method: a.call.method, Path: a.call.route(), Status: a.status, Attempts: a.attempts,
		TraceID:   a.trace,
		Err:       fmt.Errorf("%w: %w", ErrBadAnswer, cause),
		ambiguous: true,
	}
}

// isAlone reports whether an entry came in the place of its list, which says nothing about other objects then.
func (a *answer) isAlone() bool { return a.page != nil && a.page.isSingle }

// provesNothing is the error of a search that met only an object that came in the place of the list.
func (a *answer) provesNothing() error {
	return a.bad("it is one object in place of a list, so that others may be there")
}

// item is the answer narrowed to one entry of a list.
func (a *answer) item(object json.RawMessage) *answer {
	narrowed := *a
	narrowed.object = object
	return &narrowed
}

// shapeText words an error of the decoder by the field it concerns.
func shapeText(err error) string {
	var shape *json.UnmarshalTypeError
	if errors.As(err, &shape) {
		if shape.Field == "" {
			return "it has a wrong form: " + shape.Value
		}
		return fmt.Sprintf("the field %s has a wrong form: %s", shape.Field, shape.Value)
	}
	return "it is not valid JSON"
}

// object is what the service shows. keep gives it the answer that it was decoded from.
type object[T any] interface {
	*T
	keep(a *answer)
}

// decode makes an object of the result of an operation. Its error names the field.
func decode[T any, P object[T]](a *answer, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	v := new(T)
	if err := json.Unmarshal(blankToNull(a.object), v); err != nil {
		return nil, a.bad(shapeText(err))
	}
	P(v).keep(a)
	return v, nil
}

// decodeShown is decode for operations whose answer need not hold the object: the
// result is then nil, without an error.
func decodeShown[T any, P object[T]](a *answer, err error) (*T, error) {
	if err != nil || a.object == nil {
		return nil, err
	}
	return decode[T, P](a, nil)
}

// decodeEach makes objects of the entries of a list.
func decodeEach[T any, P object[T]](list iter.Seq2[*answer, error]) iter.Seq2[*T, error] {
	return eachEntry(list, decode[T, P])
}

// eachEntry changes what a list yields. It ends with the first error.
func eachEntry[T any](list iter.Seq2[*answer, error], change func(*answer, error) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for entry, err := range list {
			v, err := change(entry, err)
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// objectIn returns the object with an id that a body holds, nil when it holds none.
func objectIn(body json.RawMessage) json.RawMessage {
	object := unwrapped(body)
	if idOf(object) == "" {
		return nil
	}
	return object
}

// unwrapped takes off the wrapper that some clients have seen around an object or a list.
func unwrapped(body json.RawMessage) json.RawMessage {
	members := membersOf(body)
	if hasID(members) || members["items"] != nil {
		return body
	}
	for _, name := range []string{"result", "data"} {
		if inner := members[name]; isObject(inner) || isArray(inner) {
			return inner
		}
	}
	return body
}

// membersOf returns the members of a JSON object, nil for anything else.
func membersOf(raw json.RawMessage) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	if isObject(raw) {
		_ = json.Unmarshal(raw, &members) // They stay nil where the text is broken.
	}
	return members
}

func hasID(members map[string]json.RawMessage) bool { return textOf(members["id"]) != "" }

// idOf returns the id of an object, "" when it has none.
func idOf(object json.RawMessage) string { return textOf(membersOf(object)["id"]) }

// textOf returns a scalar as text, "" for everything else.
func textOf(raw json.RawMessage) string {
	s, _ := scalar(raw)
	return s
}

func isObject(raw json.RawMessage) bool { return startsWith(raw, '{') }

func isArray(raw json.RawMessage) bool { return startsWith(raw, '[') }

func startsWith(raw json.RawMessage, c byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == c
}

// succeeded reports whether an answer does not say success: false.
func succeeded(body json.RawMessage) bool {
	members := membersOf(body)
	return members == nil || !strings.EqualFold(textOf(members["success"]), "false")
}

// rotationFrom finds the secret in whichever form the service shows it.
func rotationFrom(body json.RawMessage) Rotation {
	members := membersOf(body)
	for _, text := range []json.RawMessage{body, members["result"], members["data"]} {
		if secret := secretIn(textOf(text)); secret != "" {
			return Rotation{Secret: secret}
		}
	}
	if members["secret"] == nil {
		members = membersOf(unwrapped(body))
	}
	return Rotation{
		Secret:                   textOf(members["secret"]),
		RotatedAt:                Text(textOf(members["rotatedAt"])),
		PreviousSecretValidUntil: Text(textOf(members["previousSecretValidUntil"])),
	}
}

// secretIn returns a text that is a secret. Those of the Standard Webhooks
// convention begin with this prefix; any other text is a message.
func secretIn(text string) string {
	if text = strings.TrimSpace(text); strings.HasPrefix(text, "whsec_") && !strings.ContainsAny(text, " \r\n") {
		return text
	}
	return ""
}

// examplesFrom reads the samples, whose field names beyond provider and sourceIssuedOn are
// not shown: an item is the body, or has it as a member.
func examplesFrom(a *answer) ([]PayloadExample, error) {
	list := unwrapped(a.body)
	if members := membersOf(list); members != nil {
		list = members["examples"]
	}
	var items []json.RawMessage
	if err := json.Unmarshal(list, &items); err != nil {
		return nil, a.bad("it has no list of examples")
	}
	examples := make([]PayloadExample, 0, len(items))
	for i, item := range items {
		members := membersOf(item)
		if members == nil {
			return nil, a.bad(fmt.Sprintf("examples[%d] is not an object", i))
		}
		example := PayloadExample{
			Provider: Text(textOf(members["provider"])), SourceIssuedOn: Text(textOf(members["sourceIssuedOn"])),
		}
		delete(members, "provider")
		delete(members, "sourceIssuedOn")
		example.Body, _ = encode(members) // What was decoded can be encoded.
		for _, name := range []string{"body", "example", "payload"} {
			if isObject(members[name]) {
				example.Body = members[name]
				break
			}
		}
		examples = append(examples, example)
	}
	return examples, nil
}

// nesting is how deep a JSON text goes.
func nesting(body []byte) (most int) {
	depth, inString := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
			most = max(most, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return most
}
