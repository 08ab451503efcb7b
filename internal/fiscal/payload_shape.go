package fiscal

import (
	"maps"
	"slices"
	"strings"
)

// kind is what a member of an issuing body holds.
type kind int

const (
	anything kind = iota
	aText
	aNumber
	aFlag
	aDate
	anObject
	aList
)

// member is what is known of a member of an issuing body.
type member struct {
	is     kind
	max    int      // characters that the service takes, 0 where no limit is known
	layout int      // characters that the layout of the NF-e has for it
	words  []string // of an enum
	shown  bool     // the specification shows the words; those of the others are assumed
	of     *shape   // the members of an object, or of each object in a list
}

// shape are the members of an object that are known. The specification shows none
// of the issuing bodies whole: what it does not show comes from its read shapes and
// from the reports of integrations (see the package doc of the client).
type shape struct {
	members map[string]member
	// open tells that there are more members than are known here: one that is
	// unknown is only worth a word where it is nearly a known one.
	open bool
}

var (
	text   = member{is: aText}
	amount = member{is: aNumber}
	flag   = member{is: aFlag}
	date   = member{is: aDate}
	free   = member{is: anything}
)

func object(of *shape) member   { return member{is: anObject, of: of} }
func list(of *shape) member     { return member{is: aList, of: of} }
func limited(layout int) member { return member{is: aText, layout: layout} }
func word(shown bool, words ...string) member {
	return member{is: aText, words: words, shown: shown}
}

func members(m member, names ...string) map[string]member {
	all := map[string]member{}
	for _, name := range names {
		all[name] = m
	}
	return all
}

func joined(parts ...map[string]member) map[string]member {
	all := map[string]member{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

var (
	cityShape    = &shape{members: map[string]member{"code": free, "name": text, "state": text}}
	addressShape = &shape{members: map[string]member{
		"street": {is: aText, max: 100, layout: 60}, "district": {is: aText, max: 100, layout: 60}, "number": {is: aText, layout: 60},
		"postalCode": {is: aText, max: 15}, "additionalInformation": {is: aText, max: 150, layout: 60},
		"city": object(cityShape), "country": text,
	}}
	partyShape = &shape{members: map[string]member{
		"name": {is: aText, layout: 60}, "federalTaxNumber": text, "stateTaxNumber": text, "suframaTaxNumber": text, "cityTaxNumber": text,
		"municipalTaxNumber": text, "email": {is: aText, layout: 60}, "phoneNumber": text, "address": object(addressShape),
	}}

	// What every issuing body may hold. The owned members are known, and refused.
	commonMembers = map[string]member{
		"issuedOn": date, "effectiveDate": date, "number": amount, "receiver": object(partyShape), "additionalInformation": limited(5000),
		"sendEmailToCustomer": flag, "integrationId": free, "issue": free, "status": free, "model": free, "environmentType": word(true, environments...),
	}

	// Groups such as that of an export or of the bills have a name that nobody shows.
	goodsShape = &shape{open: true, members: joined(commonMembers, map[string]member{
		"series": text, "operationNature": limited(60), "isFinalCustomer": flag, "operationDate": date,
		"operationType": word(true, "incoming", "outgoing"),
		"printingType":  word(true, "none", "portrait", "landscape", "simplified", "consumerInvoice", "electronicMessage"),
		"purposeType":   word(true, "normal", "complement", "adjustment", "devolution", "credit", "debit"),
		"issueType":     word(true, "normal", "fsia", "scan", "epec", "fsda", "svcan", "svcrs", "offLine", "website", "annfs", "alt"),
		"debitType": word(true, "creditTransferToCooperatives", "creditReversalForExemptOrImmuneOutputs", "unprocessedInvoiceDebitInAssessment",
			"penaltyAndInterest", "creditTransferBySuccession", "advancePayment", "inventoryLoss"),
		"creditType":       word(true, "finesAndInterest", "appropriation"),
		"govOperationType": word(true, "supply", "receipt"),
		"destination":      word(false, "internal", "interstate", "international"),
		"presenceType":     word(false, "none", "presence", "internet", "telephone", "delivery", "othersNonPresenceOperation", "5"), // 5 has no word.
		"pickup":           object(partyShape), "delivery": object(partyShape), "intermediary": free, "authorizedPersons": list(nil),
		"govPurchase": object(&shape{open: true, members: map[string]member{"type": text, "rate": amount}}),
		"items":       list(itemShape), "payments": list(paymentShape), "total": object(goodsTotalShape),
		"referencedDocuments": free, "transport": free, "contingency": free,
		"changeAmount": amount, // How change is called is not shown. This is the name in the examples.
	})}
	itemShape = &shape{open: true, members: joined(
		members(amount, "quantity", "unitAmount", "totalAmount", "quantityTax", "unitTaxAmount", "discountAmount", "freightAmount", "insuranceAmount", "othersAmount",
			"singleStageRetQuantityTax", "singleStageRetAdRemRate", "singleStageRetAmount"),
		map[string]member{
			"code": limited(60), "description": limited(120), "gtinCode": free, "ncm": free, "cest": free, "cfop": free, "unit": limited(6), "unitTax": limited(6),
			"makeupTotal": flag, "taxBenefitCode": text, "taxes": object(taxesShape),
		})}
	taxesShape = &shape{open: true, members: map[string]member{
		"icms": object(&shape{open: true, members: joined(members(free, "origin", "cst", "csosn", "baseTaxModality"), members(amount, "baseTax", "baseTaxReduction", "rate", "amount", "stAmount"))}),
		"pis":  object(contributionShape), "cofins": object(contributionShape), "ipi": free, "issqn": free,
		"ii": free, "is": free, "ibsCbs": free,
	}}
	contributionShape = &shape{open: true, members: joined(members(free, "cst"), members(amount, "baseTax", "rate", "amount"))}
	paymentShape      = &shape{open: true, members: map[string]member{"method": free, "amount": amount}}
	goodsTotalShape   = &shape{open: true, members: members(amount, "invoiceAmount", "productAmount", "discountAmount", "freightAmount",
		"icmsBaseTax", "icmsAmount", "icmsStBaseTax", "icmsStAmount", "pisAmount", "cofinsAmount")}

	serviceShape = &shape{members: joined(commonMembers, members(text, "rpsSeries", "cnaeCode", "nbsCode", "federalServiceCode", "nationalTaxationCode", "cityServiceCode", "cstPisCofins"),
		map[string]member{
			"description": text, "batchNumber": amount, "rpsNumber": amount,
			"taxationType": word(false, "taxationInMunicipality", "taxationOutsideMunicipality", "exemption", "immune", "suspendedByCourt",
				"suspendedByAdministrativeProcedure", "exportation", "nonIncidence"),
			"taxLocation":  word(false, "companyMunicipality", "customerMunicipality", "serviceProvisionMunicipality"),
			"intermediary": object(partyShape), "location": object(cityShape), "ibsCbs": free, "national": free, "total": object(serviceTotalShape),
			// What the service's own examples hold beside the body.
			"provider": free, "sourceIssuedOn": free,
		})}
	serviceTotalShape = &shape{open: true, members: joined(
		members(amount, "invoiceAmount", "netAmount", "issBaseTax", "discountUnconditionedAmount", "discountConditionedAmount", "pisCofinsBaseTax",
			"othersAmount", "deductionsAmount", "receivedAmount", "ibsStateRate", "ibsCityRate", "cbsRate", "ibsCbsBaseTax", "ibsStateAmount", "ibsCityAmount", "ibsAmount", "cbsAmount",
			"ibsStateRedRate", "ibsCityRedRate", "cbsRedRate"),
		members(amount, "issRate", "ibsRate", "irRate", "csllRate", "pisRate", "cofinsRate", "inssRate", "issAmount", "irAmount", "csllAmount", "pisAmount", "cofinsAmount", "inssAmount"),
		members(free, "issWithheld", "irWithheld", "csllWithheld", "pisWithheld", "cofinsWithheld", "inssWithheld"))}

	environments = []string{"production", "development", "simulation"}
)

func shapeOf(model string) *shape {
	if model == modelNFSe {
		return serviceShape
	}
	return goodsShape
}

// walk visits the members of an object that are not null, in the order of their
// paths: those that are known, and those that are not.
func (s *shape) walk(at string, value map[string]any, known func(at string, m member, value any), unknown func(at, name string, of *shape)) {
	for _, name := range slices.Sorted(maps.Keys(value)) {
		path := strings.TrimPrefix(at+"."+name, ".")
		m, ok := s.members[name]
		switch {
		case value[name] == nil:
			continue
		case !ok:
			unknown(path, name, s)
			continue
		}
		known(path, m, value[name])
		if m.of == nil {
			continue
		}
		switch v := value[name].(type) {
		case map[string]any:
			if m.is == anObject {
				m.of.walk(path, v, known, unknown)
			}
		case []any:
			for i, element := range v {
				if part, ok := element.(map[string]any); ok && m.is == aList {
					m.of.walk(indexed(path, i), part, known, unknown)
				}
			}
		}
	}
}

// nearest is the known member that a name was probably meant to be, or "".
func (s *shape) nearest(name string) string {
	best, least := "", 3
	if s.open {
		least = 2 // There are other members, which may be called much alike.
	}
	plain := strings.ReplaceAll(name, "_", "")
	for _, candidate := range slices.Sorted(maps.Keys(s.members)) {
		if strings.EqualFold(plain, candidate) {
			return candidate
		}
		apart := Edits(strings.ToLower(name), strings.ToLower(candidate))
		if apart < least && apart*3 <= len(candidate) {
			best, least = candidate, apart
		}
	}
	return best
}
