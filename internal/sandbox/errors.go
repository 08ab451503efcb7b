package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// problem is one reason of a refusal; an empty path is sent as null.
type problem struct {
	path    string
	message string
}

// refusal is an answer that is not a success. Handlers return it as their error.
type refusal struct {
	status   int
	problems []problem
	header   http.Header
	// body replaces the error form if a route has its own body.
	body object
}

func (r *refusal) Error() string {
	if len(r.problems) == 0 {
		return http.StatusText(r.status)
	}
	return r.problems[0].message
}

// refuse returns a refusal with one reason.
func refuse(status int, path, format string, args ...any) error {
	return &refusal{status: status, problems: []problem{{path, fmt.Sprintf(format, args...)}}}
}

// invalid is the 400 of a field or a business rule.
func invalid(path, format string, args ...any) error {
	return refuse(http.StatusBadRequest, path, format, args...)
}

// notFound is the answer to an unknown id. The specification does not standardise 404; it was observed.
func notFound() error {
	return refuse(http.StatusNotFound, "", "The requested resource was not found.")
}

func forbidden() error {
	return refuse(http.StatusForbidden, "", "Access not authorised.")
}

// ErrorForm is a reported form of an error's body. The specification says that the format may vary by endpoint.
type ErrorForm int

const (
	// FormErrors is {"errors":[{"message","path"}]}, the usual one.
	FormErrors ErrorForm = iota
	// FormMessage is {"message"}.
	FormMessage
	// FormTitle is {"title","status"} without a detail.
	FormTitle
	// FormHTML is a page, as a proxy answers.
	FormHTML
	// FormEmpty has no body at all.
	FormEmpty
)

// render returns the content type and body of a refusal in this form.
func (f ErrorForm) render(status int, problems []problem) (contentType string, body []byte) {
	first := http.StatusText(status)
	if len(problems) > 0 {
		first = problems[0].message
	}
	var v any
	switch f {
	case FormMessage:
		v = object{"message": first}
	case FormTitle:
		v = object{"title": first, "status": status}
	case FormHTML:
		return "text/html; charset=utf-8", htmlPage(status, first)
	case FormEmpty:
		return "", nil
	default:
		errs := []any{}
		for _, p := range problems {
			errs = append(errs, object{"message": p.message, "path": orNull(p.path)})
		}
		v = object{"errors": errs}
	}
	return contentTypeJSON, mustJSON(v)
}

func htmlPage(status int, message string) []byte {
	return fmt.Appendf(nil, "<!DOCTYPE html>\n<html><head><title>%d %s</title></head><body><h2>%s</h2></body></html>\n",
		status, http.StatusText(status), message)
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("sandbox: answer cannot be encoded: " + err.Error())
	}
	return b
}
