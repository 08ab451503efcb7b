package fiscal

// authorityCode is a frequent code of the authorities.
type authorityCode struct {
	code   string
	of     string // the documents that it is about
	cause  string
	remedy string
	source string
	// passes tells that it ends by itself: nothing is to be corrected.
	passes bool
	// ends tells that the invoice is not to be sent again.
	ends bool
}

const (
	ofNFe   = "NF-e"
	ofNFCe  = "NFC-e"
	ofGoods = "NF-e, NFC-e"
	ofNFSe  = "NFS-e"
)

// authorityCodes are the frequent codes, by number. The numbers and the rules are
// those of the manual of the NF-e (MOC 7.0, Anexo I) and of the technical notes (NT)
// that changed it; of the NFS-e, those of the model of ABRASF, which many cities
// follow (E and two digits), and of the national system (E and four).
var authorityCodes = []authorityCode{
	{code: "108", of: ofGoods, passes: true, source: "MOC 7.0, status of the service", cause: "The authority's service is paused for a short time.", remedy: "Wait some minutes."},
	{code: "109", of: ofGoods, passes: true, source: "MOC 7.0, status of the service", cause: "The authority's service is paused, and nobody knows until when.", remedy: "Wait: where it lasts, the service issues an NF-e through the authority's contingency by itself, and an NFC-e offline where the company's settings allow it."},
	{code: "110", of: ofGoods, ends: true, source: "MOC 7.0, denied use", cause: "The authority has denied the document: the issuer or the receiver is irregular with the tax administration.", remedy: "Settle that with the tax administration. The number is used up; issue another invoice under a new {id} afterwards."},
	{code: "178", of: ofGoods, source: "NT 2026.007, rule 12C02-10", cause: "The issuer's CNPJ is not registered with the federal revenue.", remedy: "Correct the company's tax number."},
	{code: "181", of: ofGoods, source: "NT 2026.007, rule 12E02-10", cause: "The receiver's CNPJ is not registered with the federal revenue.", remedy: "Ask the receiver for the right number, and correct `receiver.federalTaxNumber`."},
	{code: "182", of: ofGoods, source: "NT 2026.007, rule 12E02-20", cause: "The receiver's CNPJ is not active with the federal revenue.", remedy: "Ask the receiver for an active number, and correct `receiver.federalTaxNumber`."},
	{code: "203", of: ofNFe, source: "MOC 7.0, rule 1C17-34", cause: "The company may not issue NF-e in its state.", remedy: "Have it accredited at the state's tax authority, in the environment in question."},
	{code: "204", of: ofGoods, source: "MOC 7.0, rule 2B08-20", cause: "The authority holds a document with this number and series already. Often it is this one, and its answer was lost.", remedy: "Change nothing at first: the provider has the service ask the authority before it sends anything. Where another system has used the number, raise `next_number` in the company's settings above the last one in use."},
	{code: "205", of: ofNFe, ends: true, source: "MOC 7.0, rule 2B08-40", cause: "The authority has denied the document with this number.", remedy: "Settle the irregularity with the tax administration, and issue another invoice under a new {id}."},
	{code: "206", of: ofGoods, source: "MOC 7.0, rule 3B08-100", cause: "The number was declared unused (inutilização) at the authority.", remedy: "Raise `next_number` in the company's settings above the numbers that were declared unused."},
	{code: "207", of: ofGoods, source: "MOC 7.0, rule C02-10", cause: "The issuer's CNPJ is not valid.", remedy: "Correct the company's tax number."},
	{code: "208", of: ofGoods, source: "MOC 7.0, rule E02-10", cause: "The receiver's CNPJ is not valid.", remedy: "Correct `receiver.federalTaxNumber`: `tax_number_normalize` checks it."},
	{code: "209", of: ofGoods, source: "MOC 7.0, rule C17-20", cause: "The issuer's state registration is not valid.", remedy: "Correct `state_tax_number` of the company."},
	{code: "210", of: ofNFe, source: "MOC 7.0, rule E17-50", cause: "The receiver's state registration is not valid in its state.", remedy: "Correct `receiver.stateTaxNumber`, or leave it out for a receiver without one."},
	{code: "213", of: ofGoods, source: "MOC 7.0, rule F03 of the signature", cause: "The certificate belongs to another company than the issuer.", remedy: "Upload the certificate of the company (`einvoice_company_certificate`)."},
	{code: "215", of: ofGoods, source: "MOC 7.0, XML schema of the message", cause: "The document does not follow the layout: a value is missing, too long or in another form.", remedy: "Find the field in the message, and correct it: `payload_check` names the usual ones."},
	{code: "218", of: ofGoods, ends: true, source: "MOC 7.0, rule 2B08-30", cause: "The document with this number is canceled at the authority.", remedy: "Read the invoice at the service. To issue it anew use a new {id}."},
	{code: "225", of: ofGoods, source: "MOC 7.0, XML schema of the NF-e", cause: "The document does not follow the layout: a value is missing, too long or in another form.", remedy: "Find the field in the message, and correct it: `payload_check` names the usual ones."},
	{code: "228", of: ofNFe, source: "MOC 7.0, rules of B09, date of emission", cause: "The date of emission is too long ago.", remedy: "Leave `effectiveDate` out, or give today's."},
	{code: "230", of: ofGoods, source: "MOC 7.0, rule 1C17-10", cause: "The issuer's state registration is not in the state's register.", remedy: "Correct `state_tax_number` of the company, or have it registered."},
	{code: "232", of: ofNFe, source: "MOC 7.0, rule 5E17-50; NT 2019.001", cause: "The receiver has a state registration that the invoice does not name.", remedy: "Ask the receiver for it, and set `receiver.stateTaxNumber`."},
	{code: "233", of: ofNFe, source: "MOC 7.0, rule 5E17-10; NT 2019.001", cause: "The receiver's state registration is not in the state's register.", remedy: "Correct `receiver.stateTaxNumber`."},
	{code: "234", of: ofNFe, source: "MOC 7.0, rule 5E17-20; NT 2019.001", cause: "The receiver's state registration belongs to another CNPJ.", remedy: "Correct `receiver.stateTaxNumber` or `receiver.federalTaxNumber`."},
	{code: "237", of: ofGoods, source: "MOC 7.0, rule E03-10", cause: "The receiver's CPF is not valid.", remedy: "Correct `receiver.federalTaxNumber`: `tax_number_normalize` checks it."},
	{code: "252", of: ofGoods, source: "MOC 7.0, rule B24-10", cause: "The document is for another environment than it was sent to.", remedy: "Make `environment_type` of the company's settings and `environmentType` of the payload the same."},
	{code: "274", of: ofGoods, source: "MOC 7.0, rule E10-10", cause: "There is no city with the receiver's municipal code.", remedy: "Correct `receiver.address.city.code` by the table of the IBGE."},
	{code: "275", of: ofGoods, source: "MOC 7.0, rule E10-20", cause: "The receiver's city is not in the receiver's state.", remedy: "Correct `receiver.address.city`: the first two digits of the code are the state's."},
	{code: "301", of: ofGoods, ends: true, source: "MOC 7.0, rule 1C17-40", cause: "Denied: the issuer is irregular with the tax administration.", remedy: "Settle that with the tax administration. The number is used up; issue another invoice under a new {id} afterwards."},
	{code: "302", of: ofNFe, ends: true, source: "MOC 7.0, rule 5E17-40; NT 2019.001", cause: "Denied: the receiver is irregular with the tax administration.", remedy: "The receiver has to settle that. The number is used up; issue another invoice under a new {id} afterwards."},
	{code: "321", of: ofNFe, source: "MOC 7.0, rule B25-70", cause: "A return of goods names no document that the goods came with.", remedy: "Give the access key and the item number of the origin document in each of `items`."},
	{code: "327", of: ofNFe, source: "MOC 7.0, rule I08-140", cause: "The CFOP of an item is not one of a return, and `purposeType` is devolution.", remedy: "Take a CFOP of returns, such as 5202 or 1202."},
	{code: "391", of: ofNFCe, source: "NT 2025.001, rule YA04-10", cause: "A payment by card or PIX lacks the data of the payment.", remedy: "Add the data of the card or PIX to the payment, in the names of the service's own reference."},
	{code: "462", of: ofNFCe, source: "MOC 7.0, rule ZX02-304", cause: "The authority does not know the CSC token of the company.", remedy: "Set `token_id` and `csc` of `consumer_invoice` in the company's settings to what the state's tax authority shows, for this environment."},
	{code: "464", of: ofNFCe, source: "MOC 7.0, rule ZX02-320", cause: "The QR code does not fit the CSC of the company.", remedy: "Set `token_id` and `csc` of `consumer_invoice` in the company's settings to what the state's tax authority shows, for this environment."},
	{code: "481", of: ofGoods, source: "MOC 7.0, rule 7C21-10", cause: "The company's tax regime is another one in the state's register.", remedy: "Correct `tax_regime` of the company, and take `cst` or `csosn` in the items accordingly."},
	{code: "501", of: ofGoods, ends: true, source: "MOC 7.0, events, rule 2P12-14", cause: "The cancellation comes after the period that the law allows: 24 hours for an NF-e, 30 minutes for an NFC-e in most states.", remedy: "It cannot be canceled any more. Ask your accountant about a return, or about an extraordinary cancellation in the state; to go on without canceling remove `cancellation_reason`."},
	{code: "518", of: ofNFe, source: "MOC 7.0, rule I08-10", cause: "An item of an outgoing invoice has the CFOP of an incoming one (1, 2 or 3).", remedy: "Take the CFOP that begins with 5, 6 or 7."},
	{code: "539", of: ofGoods, source: "MOC 7.0, rule 2B08-10", cause: "The authority holds another document with this number and series, under another access key.", remedy: "Compare the access key in the message with your documents: the provider has the service ask the authority before it sends anything. Where another system has used the number, raise `next_number` in the company's settings above the last one in use."},
	{code: "564", of: ofGoods, source: "MOC 7.0, rule W07-10", cause: "The total of the products is not the sum of the items.", remedy: "Correct `total.productAmount`, or `makeupTotal` of the items."},
	{code: "590", of: ofGoods, source: "MOC 7.0, rule N12-20", cause: "An item has a CST, and the company is in the Simples Nacional.", remedy: "Give `csosn` instead of `cst` in the ICMS of the items."},
	{code: "598", of: ofGoods, source: "MOC 7.0, rule E04-20", cause: "In the test environment (homologação) the receiver must have a certain name, which says that the document has no fiscal value.", remedy: "Write the name that the message asks for into `receiver.name`, or issue in production."},
	{code: "610", of: ofGoods, source: "MOC 7.0, rule W16-10", cause: "The total of the invoice is not the sum of its parts: products, less discounts, plus ICMS ST, freight, insurance, IPI and other costs.", remedy: "Correct `total`: `payload_check` adds up what it knows."},
	{code: "611", of: ofGoods, source: "MOC 7.0, rule I03-10; NT 2017.001", cause: "The GTIN of an item has a wrong check digit.", remedy: "Correct `gtinCode`; a product without one has \"SEM GTIN\"."},
	{code: "629", of: ofGoods, source: "MOC 7.0, rule I11-10", cause: "The total of an item is not its quantity times its price.", remedy: "Correct `totalAmount`, `quantity` or `unitAmount`."},
	{code: "656", of: ofGoods, passes: true, source: "NT 2018.002, undue consumption", cause: "The authority blocks the company for up to an hour, because the same was refused too often.", remedy: "Correct what the earlier rejections named, and wait an hour: each attempt before that may begin the hour anew."},
	{code: "703", of: ofGoods, source: "MOC 7.0, rules of B09, date of emission", cause: "The date of emission is in the future.", remedy: "Leave `effectiveDate` out, or give today's."},
	{code: "704", of: ofNFCe, source: "MOC 7.0, rule B09-40", cause: "The date of emission of an NFC-e is more than five minutes ago.", remedy: "Leave `effectiveDate` out."},
	{code: "719", of: ofNFe, source: "MOC 7.0, rule E01-10", cause: "The NF-e has no receiver.", remedy: "Add `receiver` with name, tax number and address."},
	{code: "725", of: ofNFCe, source: "MOC 7.0, rule I08-150", cause: "The CFOP of an item is not one of an NFC-e.", remedy: "Take one of 5101, 5102, 5103, 5104, 5115, 5405, 5656, 5667 and 5933, or issue an NF-e."},
	{code: "728", of: ofNFe, source: "MOC 7.0, rule E17-20", cause: "The receiver is said to be a contributor of ICMS, and its state registration is missing.", remedy: "Set `receiver.stateTaxNumber`, or leave it `ISENTO` where that is right."},
	{code: "732", of: ofNFe, source: "MOC 7.0, rule I08-40", cause: "An item has an interstate CFOP (2 or 6), and the operation is not interstate.", remedy: "Correct `cfop` or `destination`."},
	{code: "733", of: ofNFe, source: "MOC 7.0, rule I08-50", cause: "An item has an internal CFOP (1 or 5), and the operation is not internal.", remedy: "Correct `cfop` or `destination`."},
	{code: "769", of: ofGoods, source: "MOC 7.0, rule YA01-20", cause: "The document has no payments.", remedy: "Add `payments`."},
	{code: "770", of: ofGoods, source: "MOC 7.0, rule I08-04", cause: "There is no such CFOP.", remedy: "Correct `cfop` of the item."},
	{code: "777", of: ofGoods, source: "MOC 7.0, rule I05-10", cause: "The NCM of an item does not have 8 digits.", remedy: "Correct `ncm` of the item: 8 digits, as a text."},
	{code: "778", of: ofGoods, source: "MOC 7.0, rule I05-20", cause: "There is no such NCM, or not any more.", remedy: "Look the product up in the table of NCM in force, and correct `ncm` of the item."},
	{code: "865", of: ofGoods, source: "MOC 7.0, rule YA03-10; NT 2025.001", cause: "The payments are less than the total of the invoice.", remedy: "Correct the amounts of `payments`."},
	{code: "866", of: ofGoods, source: "MOC 7.0, rule YA03-20; NT 2025.001", cause: "The payments are more than the total of the invoice, and no change is given.", remedy: "Correct the amounts of `payments`."},
	{code: "1115", of: ofGoods, source: "NT 2025.002, rule UB12-10", cause: "An item of a company of the normal regime says nothing of IBS and CBS. (Announced, then switched off in v1.33 of the note, and dated to 2026-08-03 by v1.40.)", remedy: "Add IBS and CBS to the item, in the names of the service's own reference, or let the company's settings add them (`general.tax_reform_fields_enabled`)."},
	{code: "E16", of: ofNFSe, source: "ABRASF 2.04, error E16", cause: "The date of emission is in the future.", remedy: "Leave `effectiveDate` out, or give today's."},
	{code: "E18", of: ofNFSe, source: "ABRASF 2.04, error E18", cause: "The amount of the service is not more than zero.", remedy: "Correct `total.invoiceAmount`."},
	{code: "E19", of: ofNFSe, source: "ABRASF 2.04, error E19", cause: "The deductions are more than the amount of the service.", remedy: "Correct `total.deductionsAmount` or `total.invoiceAmount`."},
	{code: "E21", of: ofNFSe, source: "ABRASF 2.04, error E21", cause: "The discounts are more than the amount of the service.", remedy: "Correct `total.discountUnconditionedAmount` or `total.invoiceAmount`."},
	{code: "E30", of: ofNFSe, source: "ABRASF 2.04, error E30", cause: "There is no such item in the list of services.", remedy: "Correct `federalServiceCode`: it is an item of LC 116/2003, such as `17.01`."},
	{code: "E31", of: ofNFSe, source: "ABRASF 2.04, error E31", cause: "The item of the list of services is missing.", remedy: "Set `federalServiceCode` to the item of LC 116/2003, such as `17.01`, or `cityServiceCode` to the city's own code where it reads that."},
	{code: "E44", of: ofNFSe, source: "ABRASF 2.04, error E44", cause: "The issuer's CNPJ is not valid.", remedy: "Correct the company's tax number."},
	{code: "E47", of: ofNFSe, source: "ABRASF 2.04, error E47", cause: "The receiver's CPF or CNPJ is not valid.", remedy: "Correct `receiver.federalTaxNumber`: `tax_number_normalize` checks it."},
	{code: "E52", of: ofNFSe, source: "ABRASF 2.04, error E52", cause: "The receiver is the issuer itself.", remedy: "Correct `receiver.federalTaxNumber`."},
	{code: "E0014", of: ofNFSe, source: "national NFS-e, rules of the DPS", cause: "The number and series of this DPS were used for another NFS-e. Often it is this one, and its answer was lost.", remedy: "Change nothing at first: the provider has the service ask the authority before it sends anything. Where another system has used the number, raise `next_number` of `service_invoice` in the company's settings."},
	{code: "E0038", of: ofNFSe, source: "national NFS-e, rules of the DPS", cause: "The city has no active agreement with the national system.", remedy: "Issue through the city's own system: `issue_type` of `service_invoice` in the company's settings decides."},
	{code: "E0116", of: ofNFSe, source: "national NFS-e, rules of the DPS", cause: "The city wants the company's municipal registration.", remedy: "Set `city_tax_number` of the company, and `send_city_tax_number` of `service_invoice` in its settings."},
	{code: "E0120", of: ofNFSe, source: "national NFS-e, rules of the DPS", cause: "The municipal registration was sent, and the national register has none of the company.", remedy: "Turn `send_city_tax_number` of `service_invoice` in the company's settings off."},
	{code: "E0160", of: ofNFSe, source: "national NFS-e, rules of the DPS", cause: "The company's tax regime is another one in the register of the Simples Nacional.", remedy: "Correct `tax_regime` of the company."},
	{code: "E0240", of: ofNFSe, source: "national NFS-e, rules of the DPS", cause: "There is no such postal code, or it is in another city than the receiver's.", remedy: "Correct `receiver.address.postalCode` or `receiver.address.city`."},
	{code: "E0310", of: ofNFSe, source: "national NFS-e, rules of the DPS, field cTribNac", cause: "There is no such national taxation code.", remedy: "Correct `nationalTaxationCode`: 6 digits of the national list of services, neither the item of LC 116 nor the NBS."},
	{code: "E0312", of: ofNFSe, source: "national NFS-e, rules of the DPS, field cTribNac", cause: "The city does not administer this national taxation code on the date of the service.", remedy: "Take a code that the city has in the national system, or the city where the tax is due."},
}

// KnownRejection is a code of an authority that [ExplainRejection] knows, for a list.
type KnownRejection struct {
	Rejection
	Of string // the documents that it is about, such as "NF-e, NFC-e"
}

// KnownRejections are the known codes of the authorities, in the order of their
// numbers.
func KnownRejections() []KnownRejection {
	known := make([]KnownRejection, 0, len(authorityCodes))
	for _, c := range authorityCodes {
		known = append(known, KnownRejection{ExplainRejection(c.code), c.of})
	}
	return known
}

// rejection is what is said of a code.
func (c authorityCode) rejection() Rejection {
	r := Rejection{Origin: OriginAuthority, Kind: RejectionDefinitive, Cause: c.cause, Source: c.source, advice: c.remedy, remedy: c.remedy}
	if c.passes {
		r.Kind = RejectionTransient
	}
	if !c.ends {
		r.advice += " Then {again}: the invoice is sent again under the same {id}."
	}
	return r
}

func knownAuthorityCode(code string) (Rejection, bool) {
	for _, c := range authorityCodes {
		if c.code == code {
			return c.rejection(), true
		}
	}
	return Rejection{}, false
}
