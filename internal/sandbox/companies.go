package sandbox

import (
	"strings"
	"time"
)

// routesCompanies registers the companies, which only the main company's key reaches. The list, without a filter by
// tax number, is reported. So is the PUT of the whole record, which removes what it leaves out.
func (s *Server) routesCompanies() {
	s.shape(KindCompanies, s.completeCompany)
	s.route("POST /v1/companies", ownerKey, s.createCompany)
	s.route("GET /v1/companies", ownerKey, lists(KindCompanies, shownCompany))
	s.route("GET /v1/companies/{id}", ownerKey, reads(KindCompanies, shownCompany))
	s.route("PUT /v1/companies/{id}", ownerKey, replaces(KindCompanies, (*call).companyBody, shownCompany))
	s.route("DELETE /v1/companies/{id}", ownerKey, s.deleteCompany)
}

// foundAccount makes the main company, the first of the account.
func (s *Server) foundAccount() {
	owner := object{
		"name":             "Matriz de Teste",
		"legalName":        "Matriz de Teste Ltda",
		"federalTaxNumber": "98765432000198",
		"stateTaxNumber":   "110042490114",
		"taxRegime":        "regimeNormal",
		"address": object{
			"street": "Avenida Paulista", "number": "1000", "district": "Bela Vista", "postalCode": "01310100",
			"additionalInformation": nil, "city": object{"code": "3550308", "name": "São Paulo", "state": "sp"},
			"country": object{"code": 1058, "name": brazilName}, "coordinates": nil,
		},
	}
	s.completeCompany(owner)
	s.ownerID = text(s.store(KindCompanies, owner, time.Time{}), "id")
	s.signing.secret = s.newSecret()
}

// createCompany follows the specification, Authentication: the key appears in full in this answer only.
func (s *Server) createCompany(c *call) (any, error) {
	doc, err := c.companyBody()
	if err != nil {
		return nil, err
	}
	s.completeCompany(doc)
	stored := s.insert(KindCompanies, doc)
	stored["apiCredentials"] = object{"apiKey": text(stored, "_apiKey")}
	return stored, nil
}

// deleteCompany follows the specification, Endpoints. The company's key stops working. Whether the main company can
// be deleted is not documented: here it can.
func (s *Server) deleteCompany(c *call) (any, error) {
	if !s.remove(KindCompanies, c.id()) {
		return nil, notFound()
	}
	delete(s.settings, c.id())
	for _, certificate := range s.all(KindCertificates, ofCompany(c.id())) {
		s.remove(KindCertificates, text(certificate, "id"))
	}
	return success(), nil
}

// companyBody reads a company. The lengths are reported, and so is the required city. The other required fields are
// those that one source lists for the creation.
func (c *call) companyBody() (object, error) {
	in := c.input()
	in.own("apiCredentials")
	doc := object{
		"name":             in.required("name", 80),
		"legalName":        in.required("legalName", 80),
		"federalTaxNumber": in.companyTaxNumber("federalTaxNumber"),
		"stateTaxNumber":   in.stateTax(),
		"cityTaxNumber":    in.text("cityTaxNumber", 20),
		"email":            in.email("email", 80),
		"phone":            in.phone("phone", 15),
		"mobilePhone":      in.phone("mobilePhone", 15),
		"taxRegime": in.enum("taxRegime", "simplesNacional", "simplesNacionalExcessoSublimite",
			"simplesNacionalMEI", "regimeNormal"),
		"economicActivities": in.economicActivities("economicActivities"),
	}
	before := len(*in.problems)
	address, _ := in.address("address", false).(object)
	doc["address"] = address
	switch {
	case len(*in.problems) > before:
	case address == nil:
		in.fail("address", "The Address field is required.")
	case address["city"] == nil:
		in.fail("address.city", "The City field is required.")
	}
	in.extras(KindCompanies, doc)
	if err := in.check(); err != nil {
		return nil, err
	}
	return doc, c.s.admitTaxNumber(text(doc, "federalTaxNumber"), c.id())
}

// admitTaxNumber refuses the tax number of another company, as reported, unless the main company's settings allow
// duplicates, as the setting's name suggests. id is the company's own, "" for a new one.
func (s *Server) admitTaxNumber(number, id string) error {
	if truth(s.settingsBlock(s.ownerID, blockGeneral), "allowDuplicateFederalTaxNumbers") {
		return nil
	}
	_, taken := s.find(KindCompanies, func(other object) bool {
		return text(other, "federalTaxNumber") == number && text(other, "id") != id
	})
	if taken {
		return invalid("federalTaxNumber", "The CNPJ %s already has a linked account.", number)
	}
	return nil
}

// companyTaxNumber reads a CNPJ, or the CPF of a natural person, and stores it without punctuation.
func (f *fields) companyTaxNumber(name string) any {
	value, _ := f.required(name, 18).(string)
	if strings.TrimSpace(value) == "" {
		return nil
	}
	value = plainTaxNumber(value)
	if !cnpjForm.MatchString(value) && !cpfForm.MatchString(value) {
		f.fail(name, "The field %s is invalid", pascal(name))
		return nil
	}
	return value
}

// economicActivities reads the list of {code, type}. isMain is of an older interface: it is answered and ignored.
func (f *fields) economicActivities(name string) []any {
	out := []any{}
	for _, in := range f.children(name) {
		in.own("isMain", "description")
		kind := in.enum("type", "main", "secondary")
		out = append(out, object{
			"code": in.required("code", 10), "type": kind, "isMain": kind == "main", "description": nil,
		})
	}
	return out
}

// shownCompany masks the key, as the specification says of later reads (Authentication). The answer of a PUT is
// assumed to do so too.
func shownCompany(doc object) object {
	doc["apiCredentials"] = object{"apiKey": mask(text(doc, "_apiKey"), visibleOfKey)}
	return doc
}

// completeCompany gives a company its key and the nulls of what is unset. The caller holds the lock.
func (s *Server) completeCompany(doc object) {
	setDefault(doc, "_apiKey", s.newKey())
	setDefault(doc, "economicActivities", []any{})
	nulls(doc, "name", "legalName", "federalTaxNumber", "stateTaxNumber", "cityTaxNumber",
		"email", "phone", "mobilePhone", "taxRegime", "address")
}
