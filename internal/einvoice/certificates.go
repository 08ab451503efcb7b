package einvoice

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"iter"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Certificate is a digital certificate (A1) of a company, as the service shows it: never the file, never the
// password. One of a company's certificates is active, the one uploaded last.
type Certificate struct {
	ID           Text  `json:"id,omitempty"`
	Subject      Text  `json:"subject,omitempty"`
	Issuer       Text  `json:"issuer,omitempty"`
	ExpirationAt Text  `json:"expirationAt,omitempty"` // date-time
	IsActive     *Flag `json:"isActive,omitempty"`

	Raw json.RawMessage `json:"-"` // the object as the service sent it
}

// The parts of an upload (assumed, not shown by the specification).
const (
	partCertificate = "certificateFile"
	partPassword    = "password"
)

func (v *Certificate) keep(a *answer) { v.Raw = a.object }

// Certificates walks the certificates of a company, active or not. One to which the service gives no id has one from
// its holder and expiry.
func (c *Client) Certificates(ctx context.Context, companyID string) iter.Seq2[*Certificate, error] {
	list := eachEntry(c.pages(ctx, nil, c.operation("list_certificates", companyID)),
		func(entry *answer, err error) (*answer, error) {
			if err == nil {
				if named := withDerivedID(entry.object); named != nil {
					entry = entry.item(named)
				}
			}
			return entry, err
		})
	list = unlessMissing(ctx, "list_certificates", withIDs(list), c.shows(KindCompany, companyID))
	return decodeEach[Certificate](list)
}

// UploadCertificate gives a company the certificate in pfx, a PKCS #12 file, and makes it the active one. The body is
// a form (specification: Conventions). A file that the company has already is refused: see IsCertificateRegistered.
func (c *Client) UploadCertificate(
	ctx context.Context, companyID string, pfx []byte, password string,
) (*Certificate, error) {
	req := c.operation("create_certificate", companyID)
	req.secrets = []string{base64.StdEncoding.EncodeToString(pfx), string(pfx), password}
	req.body, req.contentType = certificateForm(pfx, password)
	return decode[Certificate](c.withObject(c.change(ctx, req, c.shows(KindCompany, companyID))))
}

// withDerivedID is a certificate of a list with an id from its holder and expiry, which stay the same. It is nil for
// what has an id, or neither of both. An upload answered without an id is looked up in the list, which may give one.
func withDerivedID(certificate json.RawMessage) json.RawMessage {
	members := membersOf(certificate)
	holder, end := textOf(members["subject"]), textOf(members["expirationAt"])
	if hasID(members) || holder == "" && end == "" {
		return nil
	}
	if at, isTime := ParseTime(end); isTime {
		end = at.UTC().Format(time.RFC3339)
	}
	members["id"], _ = json.Marshal(uuid.NewSHA1(uuid.NameSpaceOID, []byte(holder+" "+end))) // Texts can be written.
	named, _ := json.Marshal(members)
	return named
}

func certificateForm(pfx []byte, password string) (body []byte, contentType string) {
	var b bytes.Buffer // Writing to it never fails.
	form := multipart.NewWriter(&b)
	file, _ := form.CreateFormFile(partCertificate, "certificate.pfx")
	_, _ = file.Write(pfx)
	_ = form.WriteField(partPassword, password)
	_ = form.Close()
	return b.Bytes(), form.FormDataContentType()
}

// registered matches a refusal that says that the company has this certificate
// already. The service writes English, and the authorities Portuguese.
var registered = regexp.MustCompile(`(?i)already (been )?(registered|exists|added|uploaded|in use)|` +
	`j[áa] (est[áa] |foi )?(cadastrad|registrad|exist)`)

// IsCertificateRegistered reports whether an upload was refused because the company has the same certificate already.
func IsCertificateRegistered(err error) bool {
	var failure *Error
	if !errors.As(err, &failure) {
		return false
	}
	if !errors.Is(err, ErrBadRequest) && !errors.Is(err, ErrNotSuccessful) && failure.Status != http.StatusConflict {
		return false
	}
	return registered.MatchString(failure.Text) || slices.ContainsFunc(failure.Messages, func(m FieldMessage) bool {
		return registered.MatchString(m.Message)
	})
}
