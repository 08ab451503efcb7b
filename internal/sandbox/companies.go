package sandbox

import (
	"time"
)

// routesCompanies registers the companies, which only the main company's key reaches.
func (s *Server) routesCompanies() {
	s.shape(KindCompanies, s.completeCompany)
	s.route("POST /v1/companies", ownerKey, s.createCompany)
	s.route("GET /v1/companies", ownerKey, s.listCompanies)
	s.route("GET /v1/companies/{id}", ownerKey, s.readCompany)
	s.route("DELETE /v1/companies/{id}", ownerKey, s.deleteCompany)
}

// foundAccount makes the main company, the first of the account.
func (s *Server) foundAccount() {
	owner := object{
		"name":             "Matriz de Teste",
		"legalName":        "Matriz de Teste Ltda",
		"federalTaxNumber": "98765432000198",
	}
	s.completeCompany(owner)
	s.ownerID = text(s.store(KindCompanies, owner, time.Time{}), "id")
	s.signing.secret = s.newSecret()
}

// createCompany follows the specification, Authentication: the key appears in full in this answer only. A tax number
// that has an account already is refused, as reported.
func (s *Server) createCompany(c *call) (any, error) {
	in, err := c.input()
	if err != nil {
		return nil, err
	}
	in.own("apiCredentials")
	doc := object{
		"name":             in.required("name", 80),
		"legalName":        in.required("legalName", 80),
		"federalTaxNumber": in.taxNumber("federalTaxNumber", 18),
	}
	in.extras(KindCompanies, doc)
	if err := in.check(); err != nil {
		return nil, err
	}
	_, taken := s.find(KindCompanies, func(other object) bool {
		return text(other, "federalTaxNumber") == text(doc, "federalTaxNumber")
	})
	if taken {
		return nil, invalid("federalTaxNumber", "The CNPJ %s already has a linked account.", text(doc, "federalTaxNumber"))
	}
	s.completeCompany(doc)
	stored := s.insert(KindCompanies, doc)
	stored["apiCredentials"] = object{"apiKey": text(stored, "_apiKey")}
	return stored, nil
}

// readCompany follows the specification, Authentication: later reads show the key masked.
func (s *Server) readCompany(c *call) (any, error) {
	doc, ok := s.get(KindCompanies, c.id())
	if !ok {
		return nil, notFound()
	}
	return shownCompany(doc), nil
}

// listCompanies is reported; there is no filter by tax number.
func (s *Server) listCompanies(c *call) (any, error) {
	docs := s.listed(KindCompanies, nil)
	for i := range docs {
		docs[i] = shownCompany(docs[i])
	}
	return c.page(docs)
}

// deleteCompany follows the specification, Endpoints. The key dies with the company.
func (s *Server) deleteCompany(c *call) (any, error) {
	if !s.remove(KindCompanies, c.id()) {
		return nil, notFound()
	}
	return success(), nil
}

func shownCompany(doc object) object {
	doc["apiCredentials"] = object{"apiKey": mask(text(doc, "_apiKey"), visibleOfKey)}
	return doc
}

// completeCompany gives a company its key and the nulls of what is unset. The caller holds the lock.
func (s *Server) completeCompany(doc object) {
	setDefault(doc, "_apiKey", s.newKey())
	nulls(doc, "name", "legalName", "federalTaxNumber", "stateTaxNumber", "cityTaxNumber", "email", "phone", "mobilePhone", "address")
}
