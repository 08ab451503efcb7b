package e2e_test

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// fault is one way in which an exchange goes wrong: a row of the tables.
type fault struct {
	name   string
	alike  string // what the guide calls this one and others that are met in the same way
	nature nature
	// processed tells that the service has done what the request asks for, and
	// headed that at least the status of its answer arrives.
	processed, headed bool
	// passing tells that not the request itself was at fault.
	passing bool
	// says is what a user who meets the fault must read, as a regular expression.
	says string
	// hint is how long the service asks to wait, before a request is repeated.
	hint time.Duration
	// make returns the fault for the requests of a cell; nil is a service whose
	// port is closed.
	make func(c *cell) sandbox.Fault
}

// row is what the guide calls the fault.
func (f *fault) row() string { return cmp.Or(f.alike, f.name) }

// nature is what the provider can know of a request after the fault. What is to
// become of a request follows from it.
type nature int

const (
	natureUnsent     nature = iota // nothing reached the service
	natureLost                     // it may have been processed; asking again may help
	natureLimited                  // the service wants to be asked later, and did nothing
	natureRefused                  // the service did nothing, and will not
	natureUnreadable               // answered with success, and not with what is expected
	natureTooLarge                 // answered with success, and not read to its end
)

const (
	faultNotFound  = "404"
	faultText      = "Text instead of an object"
	faultWrongType = "JSON of another type"
	faultTooLarge  = "Answer of 40 MiB"
	faultRedirect  = "Redirect to another host"
	faultOther     = "Answer about another object"
	faultRefused   = "Connection refused"
)

var faults = []fault{
	{
		name: faultRefused, nature: natureUnsent, says: "connection refused",
	}, {
		name: "Connection dropped before the request is processed", alike: "Cut off, 502 or 503", nature: natureLost, passing: true, says: "the connection was closed",
		make: func(*cell) sandbox.Fault { return sandbox.Fault{Kind: sandbox.FaultDropBefore} },
	}, {
		name: "Connection dropped after the request is processed", alike: "Answer lost, cut or not in time", nature: natureLost, processed: true, says: "the connection was closed",
		make: func(*cell) sandbox.Fault { return sandbox.Fault{Kind: sandbox.FaultDropAfter} },
	}, {
		name: "500 without a body", nature: natureLost, says: "HTTP 500",
		make: func(*cell) sandbox.Fault { return status(500, sandbox.FormEmpty) },
	}, {
		name: "502 with an HTML page", alike: "Cut off, 502 or 503", nature: natureLost, passing: true, says: "HTTP 502",
		make: func(*cell) sandbox.Fault { return status(502, sandbox.FormHTML) },
	}, {
		name: "503 with `Retry-After`", alike: "Cut off, 502 or 503", nature: natureLost, passing: true, says: "HTTP 503", hint: time.Second,
		make: func(*cell) sandbox.Fault { return asking(status(503, sandbox.FormMessage), "Retry-After", "1") },
	}, {
		name: "429 with `Retry-After`", alike: "Rate limit (429)", nature: natureLimited, says: "HTTP 429", hint: time.Second,
		make: func(*cell) sandbox.Fault { return asking(status(429, sandbox.FormErrors), "Retry-After", "1") },
	}, {
		name: "429 with `x-rate-limit-reset`", alike: "Rate limit (429)", nature: natureLimited, says: "HTTP 429",
		make: func(c *cell) sandbox.Fault {
			// The time is fixed before the CLI starts, which may take seconds.
			c.reset = time.Now().Round(0).Add(4 * time.Second) // By the wall clock, as the header.
			return asking(status(429, sandbox.FormErrors), "X-Rate-Limit-Reset", c.reset.UTC().Format(time.RFC3339Nano))
		},
	}, {
		name: "429 with `retryAfterSeconds`", alike: "Rate limit (429)", nature: natureLimited, says: "HTTP 429", hint: time.Second,
		make: func(*cell) sandbox.Fault {
			f := status(429, sandbox.FormErrors)
			f.Body = `{"message": "Too many requests.", "retryAfterSeconds": 1}`
			return f
		},
	}, {
		name: "401", alike: "401 or 403", nature: natureRefused, says: "HTTP 401",
		make: func(*cell) sandbox.Fault { return status(401, sandbox.FormTitle) },
	}, {
		name: "403", alike: "401 or 403", nature: natureRefused, says: "HTTP 403",
		make: func(*cell) sandbox.Fault { return status(403, sandbox.FormErrors) },
	}, {
		name: faultNotFound, nature: natureRefused, says: "HTTP 404",
		make: func(*cell) sandbox.Fault { return status(404, sandbox.FormHTML) },
	}, {
		name: "Answer that never ends", alike: "Answer lost, cut or not in time", nature: natureLost, processed: true, headed: true, says: "no whole answer within",
		make: func(*cell) sandbox.Fault { return sandbox.Fault{Kind: sandbox.FaultStall} },
	}, {
		name: "JSON cut in the middle", alike: "Answer lost, cut or not in time", nature: natureLost, processed: true, headed: true, says: "could not be understood",
		make: func(*cell) sandbox.Fault { return sandbox.Fault{Kind: sandbox.FaultTruncate} },
	}, {
		name: faultText, nature: natureUnreadable, processed: true, says: "could not be understood",
		make: func(*cell) sandbox.Fault {
			return sandbox.Fault{Kind: sandbox.FaultBody, Body: `"Under maintenance"`}
		},
	}, {
		name: faultWrongType, nature: natureUnreadable, processed: true, says: "could not be understood",
		make: func(c *cell) sandbox.Fault {
			f := sandbox.Fault{Kind: sandbox.FaultBody, Body: `[]`}
			if c.kind.list {
				f.Body = `{"total": 5}`
			}
			return f
		},
	}, {
		name: faultTooLarge, nature: natureTooLarge, processed: true, says: "larger than 16 MiB",
		make: func(*cell) sandbox.Fault { return sandbox.Fault{Kind: sandbox.FaultLarge, MiB: 40} },
	}, {
		name: faultRedirect, nature: natureRefused, says: "redirect",
		make: func(c *cell) sandbox.Fault {
			return sandbox.Fault{Kind: sandbox.FaultRedirect, Location: "http://localhost" + c.kind.path}
		},
	}, {
		name: faultOther, nature: natureUnreadable, processed: true, says: "another|could not be understood",
		make: func(c *cell) sandbox.Fault {
			body := c.otherObject()
			if c.kind.list {
				body = fmt.Sprintf(`{"items": [%s], "totalCount": 1, "pageCount": 1, "pageSize": 20, "hasNext": false}`, body)
			}
			return sandbox.Fault{Kind: sandbox.FaultBody, Body: body}
		},
	},
}

func status(code int, form sandbox.ErrorForm) sandbox.Fault {
	return sandbox.Fault{Kind: sandbox.FaultStatus, Status: code, Form: form, Message: http.StatusText(code)}
}

func asking(f sandbox.Fault, header, value string) sandbox.Fault {
	f.Header = http.Header{header: {value}}
	return f
}
