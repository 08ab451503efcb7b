package einvoice

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// download reads a document in a format, pdf or xml.
func (c *Client) download(ctx context.Context, req call, format string) ([]byte, error) {
	if format != "pdf" && format != "xml" {
		return nil, c.refuse(req, fmt.Errorf("the format %q is neither pdf nor xml", format))
	}
	req.anyBody = true
	req.accept = "application/json, application/" + format + ", */*;q=0.5"
	a, err := c.do(ctx, req)
	if err != nil {
		return nil, err
	}
	document, err := documentFrom(a.body, format)
	if err != nil {
		return nil, a.unusable(err)
	}
	return document, nil
}

// documentFrom reads a download. The specification says a JSON string and leaves
// its encoding open; integrations met the raw bytes.
func documentFrom(body []byte, format string) ([]byte, error) {
	if isDocument(body, format) {
		return body, nil
	}
	if result := membersOf(body)["result"]; result != nil {
		body = result
	}
	text := textOf(body)
	if isDocument([]byte(text), format) {
		return bytesOf(text, format)
	}
	text = strings.NewReplacer("\r", "", "\n", "", " ", "", "=", "").Replace(text)
	if document, err := base64.RawStdEncoding.DecodeString(text); err == nil && isDocument(document, format) {
		return document, nil
	}
	return nil, errors.New("it holds no " + strings.ToUpper(format) + " document")
}

// isDocument recognizes the first bytes of a format. An HTML page begins like
// XML and is the error page of something in between.
func isDocument(b []byte, format string) bool {
	b = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(b), byteOrderMark))
	if format == "pdf" {
		return bytes.HasPrefix(b, []byte("%PDF"))
	}
	return bytes.HasPrefix(b, []byte("<")) && !isHTML(b)
}

func isHTML(b []byte) bool {
	head := bytes.ToLower(b[:min(len(b), 64)])
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

// bytesOf returns the bytes of a document that came as the characters of a JSON
// string. A PDF is binary: each character stands for one byte.
func bytesOf(text, format string) ([]byte, error) {
	if format != "pdf" || strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return []byte(text), nil
	}
	document := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			return nil, errors.New("the PDF was damaged by the text encoding of the answer")
		}
		document = append(document, byte(r))
	}
	return document, nil
}
