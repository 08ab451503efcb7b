package einvoice

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
)

// The invoice models (specification: What the service does).
const (
	ModelProduct  = "productInvoice"
	ModelConsumer = "consumerInvoice"
	ModelService  = "serviceInvoice"
)

// Models are the kinds of invoices that a company issues.
var Models = []string{ModelProduct, ModelConsumer, ModelService}

// modelWords are the words of the models in paths. do refuses the empty one that an unknown model has.
var modelWords = map[string]string{ModelProduct: "product", ModelConsumer: "consumer", ModelService: "service"}

// Invoice is an issued invoice of any model as the service shows it (specification: Product invoice, read shape).
type Invoice struct {
	ID               Text              `json:"id,omitempty"`
	IntegrationID    Text              `json:"integrationId,omitempty"`
	Status           Enum              `json:"status,omitempty"`
	Model            Enum              `json:"model,omitempty"`
	EnvironmentType  Enum              `json:"environmentType,omitempty"`
	IssuedOn         Text              `json:"issuedOn,omitempty"`
	EffectiveDate    Text              `json:"effectiveDate,omitempty"`
	Amount           *Number           `json:"amount,omitempty"`
	Number           *Int              `json:"number,omitempty"` // nil until it is authorized
	Series           Text              `json:"series,omitempty"`
	AccessKey        Text              `json:"accessKey,omitempty"`
	IsFromAPI        *Flag             `json:"isFromApi,omitempty"`
	OperationType    Enum              `json:"operationType,omitempty"`
	PrintingType     Enum              `json:"printingType,omitempty"`
	IssueType        Enum              `json:"issueType,omitempty"`
	PurposeType      Enum              `json:"purposeType,omitempty"`
	DebitType        Enum              `json:"debitType,omitempty"`
	CreditType       Enum              `json:"creditType,omitempty"`
	GovOperationType Enum              `json:"govOperationType,omitempty"`
	GovPurchase      *GovPurchase      `json:"govPurchase,omitempty"`
	BatchNumber      *Int              `json:"batchNumber,omitempty"`
	RPS              *RPS              `json:"rps,omitempty"`
	Order            *InvoiceOrder     `json:"order,omitempty"`
	Company          *InvoiceCompany   `json:"company,omitempty"`
	Authorization    *Authorization    `json:"authorization,omitempty"`
	Cancellation     *Cancellation     `json:"cancellation,omitempty"`
	ProcessingDetail *ProcessingDetail `json:"processingDetail,omitempty"`
	Contingency      *Contingency      `json:"contingency,omitempty"`
	Receiver         *Party            `json:"receiver,omitempty"`
	Pickup           *Party            `json:"pickup,omitempty"`
	Delivery         *Party            `json:"delivery,omitempty"`

	// AuthorizedPersons are the tax numbers allowed to read the XML at the authority.
	AuthorizedPersons []Text `json:"authorizedPersons,omitempty"`

	Raw json.RawMessage `json:"-"` // the object as the service sent it
}

// GovPurchase marks a sale to the government.
type GovPurchase struct {
	Type Text    `json:"type,omitempty"`
	Rate *Number `json:"rate,omitempty"`
}

// RPS is the provisional receipt that a service invoice was issued from.
type RPS struct {
	Number *Int `json:"number,omitempty"`
	Series Text `json:"series,omitempty"`
}

// InvoiceOrder is the order an invoice was issued from.
type InvoiceOrder struct {
	ID            Text `json:"id,omitempty"`
	Date          Text `json:"date,omitempty"`
	TransactionID Text `json:"transactionId,omitempty"`
}

// InvoiceCompany is the issuer as the invoice shows it.
type InvoiceCompany struct {
	Name             Text      `json:"name,omitempty"`
	LegalName        Text      `json:"legalName,omitempty"`
	FederalTaxNumber TaxNumber `json:"federalTaxNumber,omitempty"`
	StateTaxNumber   Text      `json:"stateTaxNumber,omitempty"`
	CityTaxNumber    Text      `json:"cityTaxNumber,omitempty"`
}

// Authorization is the authority's receipt.
type Authorization struct {
	Date        Text `json:"date,omitempty"`
	Protocol    Text `json:"protocol,omitempty"`
	DigestValue Text `json:"digestValue,omitempty"`
}

// Cancellation is the authority's receipt of a cancellation.
type Cancellation struct {
	Date          Text `json:"date,omitempty"`
	Protocol      Text `json:"protocol,omitempty"`
	Justification Text `json:"justification,omitempty"`
}

// ProcessingDetail is about the last queued step. Its status does not say what
// became of the invoice: a rejected one has success.
type ProcessingDetail struct {
	Status  Enum `json:"status,omitempty"`
	Code    Text `json:"code,omitempty"` // the authority's, or the service's SPD codes
	Message Text `json:"message,omitempty"`
	On      Text `json:"on,omitempty"`
}

// Contingency is when and why the service issued in contingency.
type Contingency struct {
	Date   Text `json:"date,omitempty"`
	Reason Text `json:"reason,omitempty"`
}

// SameID compares two spellings of an id of the service. It is a UUID, and one service
// may write it in one case in a list and in the other in an answer.
func SameID[A, B ~string](a A, b B) bool { return strings.EqualFold(string(a), string(b)) }

// SameClientID compares two spellings of an id that a client gave, an integrationId or a transactionId: a service may
// show it in another case or without the spaces around it.
func SameClientID(a, b Text) bool {
	return strings.EqualFold(strings.TrimSpace(string(a)), strings.TrimSpace(string(b)))
}

// InvoiceFilter narrows a list of invoices; an empty field is not sent. Which
// filters a model's list honours is assumed, so filter again.
type InvoiceFilter struct {
	IntegrationID            string
	TransactionID            string
	EffectiveDateStart       string // date-time
	EffectiveDateEnd         string // date-time
	ReceiverFederalTaxNumber string
}

func (v *Invoice) keep(a *answer) {
	v.Raw = a.object
	v.leaveOutNumberZero()
}

func (v *Invoice) leaveOutNumberZero() {
	if v.Number != nil && *v.Number == 0 {
		v.Number = nil
	}
}

// Invoices walks the invoices of a model that match f, as the service lists them.
func (c *Client) Invoices(ctx context.Context, model string, f InvoiceFilter) iter.Seq2[*Invoice, error] {
	list := c.filtered(ctx, model, f)
	return decodeEach[Invoice](unlessMissing(ctx, "list_invoices", list, c.isMissing(list)))
}

// filtered is the list of invoices of a model that match f.
func (c *Client) filtered(ctx context.Context, model string, f InvoiceFilter) iter.Seq2[*answer, error] {
	query := queryOf(map[string]string{
		"integrationId":            f.IntegrationID,
		"transactionId":            f.TransactionID,
		"effectiveDateStart":       f.EffectiveDateStart,
		"effectiveDateEnd":         f.EffectiveDateEnd,
		"receiverFederalTaxNumber": f.ReceiverFederalTaxNumber,
	})
	list := c.objects(ctx, kindInvoice(model), query)
	if f.IntegrationID != "" {
		list = underName(list, "integrationId", Text(f.IntegrationID))
	}
	return list
}

// underName ends a look-up with an error where a list shows entries without the member that names them: any of them may
// be the one. A list that shows other names has ignored the filter, and its entries without one come from elsewhere.
func underName(list iter.Seq2[*answer, error], member string, name Text) iter.Seq2[*answer, error] {
	return func(yield func(*answer, error) bool) {
		var unnamed *answer
		ignored := false
		for entry, err := range list {
			if !yield(entry, err) || err != nil {
				return
			}
			members := membersOf(entry.object)
			switch shown := Text(textOf(members[member])); {
			case entry.isAlone() && !SameClientID(shown, name):
				yield(nil, entry.provesNothing())
				return
			case shown == "" && !strings.EqualFold(textOf(members["isFromApi"]), "false"):
				unnamed = entry
			case shown != "" && !SameClientID(shown, name):
				ignored = true
			}
		}
		if unnamed != nil && !ignored {
			yield(nil, unnamed.bad(idOf(unnamed.object)+" came in a look-up by "+member+" and shows none"))
		}
	}
}

// Invoice reads one invoice. It does not contact the authority.
func (c *Client) Invoice(ctx context.Context, model, id string) (*Invoice, error) {
	return decode[Invoice](c.byID(ctx, kindInvoice(model), id))
}

// FindInvoice reads one invoice, or finds it in the list under its integrationId as
// Customer does. An entry of the list may lack members.
func (c *Client) FindInvoice(ctx context.Context, model, id, integrationID string) (*Invoice, error) {
	filter := queryOf(map[string]string{"integrationId": integrationID})
	return decode[Invoice](c.find(ctx, kindInvoice(model), id, filter))
}

// CreateInvoice sends an issuing request as it is. A 2xx means that the request was accepted, not that the invoice is
// authorized. An answer without an id is an error that Is ErrAmbiguous.
func (c *Client) CreateInvoice(
	ctx context.Context, model string, payload json.RawMessage, guard Guard,
) (*Invoice, error) {
	req := c.operation("create_invoice", modelWords[model])
	if !isObject(payload) || !json.Valid(payload) {
		return nil, c.refuse(req, errors.New("the payload is not a JSON object"))
	}
	req.body, req.guard = payload, guard
	return decode[Invoice](c.withObject(c.change(ctx, req, c.isPresent)))
}

// IssueInvoice issues a draft, or sends a rejected invoice again. The invoice is
// nil, without an error, when the answer does not hold it: read it then.
func (c *Client) IssueInvoice(ctx context.Context, model, id string, guard Guard) (*Invoice, error) {
	of := kindInvoice(model)
	req := c.object("issue", of, id)
	req.guard = guard
	return decodeShown[Invoice](c.change(ctx, req, c.shows(of, id)))
}

// CheckInvoiceStatus has the service ask the authority and reconcile the invoice. It answers 400 while the invoice is
// queued. The specification shows it for product invoices; the other models are assumed.
func (c *Client) CheckInvoiceStatus(ctx context.Context, model, id string) (*Invoice, error) {
	req := c.operation("check_invoice_status", modelWords[model], id)
	req.about = id
	v, err := decodeShown[Invoice](c.do(ctx, req))
	if err != nil || v != nil {
		return v, err
	}
	return c.Invoice(ctx, model, id)
}

// CancelInvoice asks for a cancellation, with a reason of 15 to 255 characters. The
// authority decides later: the invoice is often still authorized, and nil where the answer
// does not hold it. It is sent once: a second request is refused while one is in process.
func (c *Client) CancelInvoice(
	ctx context.Context, model, id, reason string, guard Guard,
) (*Invoice, error) {
	of := kindInvoice(model)
	req := c.object("cancel", of, id).with(map[string]string{"reason": reason})
	req.once, req.guard = true, guard
	return decodeShown[Invoice](c.change(ctx, req, c.shows(of, id)))
}

// InvoiceDocument downloads the printed document (format pdf) or the signed document (format xml) of an authorized
// invoice or, with the id of its event, of a correction letter, whichever way the service encodes it. The format
// preview is the PDF of a draft.
func (c *Client) InvoiceDocument(ctx context.Context, model, id, format, correction string) ([]byte, error) {
	switch {
	case format == "preview":
		return c.download(ctx, c.operation("preview_invoice", modelWords[model], id), "pdf")
	case correction != "":
		return c.download(ctx, c.operation("get_correction_"+format, id, correction), format)
	}
	return c.download(ctx, c.operation("get_invoice_"+format, modelWords[model], id), format)
}

// Correction is a correction letter as the service answers it.
type Correction struct {
	Letter  Text
	EventID Text // "" where the answer does not show it

	Raw json.RawMessage // the body as the service sent it
}

// CorrectInvoice sends a correction letter, of 15 to 1000 characters, for an authorized product invoice
// (specification: Rules per endpoint). Each call is a new legal event, so that an ErrAmbiguous must not be repeated.
func (c *Client) CorrectInvoice(ctx context.Context, id, letter string, guard Guard) (*Correction, error) {
	req := c.operation("correct_invoice", id).with(map[string]string{"letter": letter})
	req.guard = guard
	a, err := c.change(ctx, req, c.shows(kindInvoice(ModelProduct), id))
	if err != nil {
		return nil, err
	}
	members := membersOf(unwrapped(a.body))
	return &Correction{
		Letter: Text(textOf(members["letter"])), EventID: Text(textOf(members["eventId"])), Raw: a.body,
	}, nil
}
