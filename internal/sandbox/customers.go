package sandbox

// routesCustomers registers the customers. They belong to the account and every company's key reaches them: the
// specification says that all companies share them, and names no key for them.
func (s *Server) routesCustomers() {
	s.shape(KindCustomers, func(doc object) {
		completeCustomer(doc)
		if s.opts.EmptyAddresses && doc["address"] == nil {
			doc["address"] = object{"street": nil, "number": "", "city": object{"code": nil, "name": nil, "state": nil}, "country": nil}
		}
	})
	s.route("POST /v1/customers", anyKey, s.createCustomer)
	s.route("GET /v1/customers", anyKey, s.listCustomers)
	s.route("GET /v1/customers/{id}", anyKey, s.readCustomer)
	s.route("PUT /v1/customers/{id}", anyKey, s.replaceCustomer)
	if !s.opts.NoCustomerDelete {
		s.route("DELETE /v1/customers/{id}", anyKey, s.deleteCustomer)
	}
}

// createCustomer follows the specification, Endpoints: the body is a Customer and so is the answer. Nothing is said of a
// second customer with the same tax number; it is assumed to be accepted.
func (s *Server) createCustomer(c *call) (any, error) {
	doc, err := c.customer()
	if err != nil {
		return nil, err
	}
	return s.insert(KindCustomers, doc), nil
}

// replaceCustomer follows the specification, Endpoints. That a field left out becomes null is assumed from companies,
// where it was observed.
func (s *Server) replaceCustomer(c *call) (any, error) {
	if _, ok := s.get(KindCustomers, c.id()); !ok {
		return nil, notFound()
	}
	doc, err := c.customer()
	if err != nil {
		return nil, err
	}
	return s.replace(KindCustomers, c.id(), doc), nil
}

// readCustomer is reported by integrations; the specification does not name it.
func (s *Server) readCustomer(c *call) (any, error) {
	doc, ok := s.get(KindCustomers, c.id())
	if !ok {
		return nil, notFound()
	}
	return doc, nil
}

// listCustomers follows the specification, Endpoints: described as a paginated list, with a single Customer as its
// sample. Its filters are not shown, so there are none.
func (s *Server) listCustomers(c *call) (any, error) {
	docs := s.listedAsStored(KindCustomers, nil)
	if s.opts.SingleObjectLists && len(docs) == 1 {
		return docs[0], nil
	}
	return c.page(docs)
}

// deleteCustomer is reported by integrations, with the answer that the specification gives for other deletes.
func (s *Server) deleteCustomer(c *call) (any, error) {
	if !s.remove(KindCustomers, c.id()) {
		return nil, notFound()
	}
	return success(), nil
}

// customer reads a customer body; the lengths are those of the specification, section Limits. That only the name is
// required is assumed.
func (c *call) customer() (object, error) {
	in, err := c.input()
	if err != nil {
		return nil, err
	}
	in.own()
	doc := object{
		"name":             in.required("name", 80),
		"legalName":        in.text("legalName", 80),
		"federalTaxNumber": in.taxNumber("federalTaxNumber", 14),
		"stateTaxNumber":   in.stateTax("stateTaxNumber", 20),
		"cityTaxNumber":    in.text("cityTaxNumber", 20),
		"email":            in.email("email", 50),
		"phone":            in.phone("phone", 15),
		"mobilePhone":      in.phone("mobilePhone", 15),
		"address":          in.address("address", true),
	}
	in.extras(KindCustomers, doc)
	return doc, in.check()
}

func completeCustomer(doc object) {
	nulls(doc, "name", "legalName", "federalTaxNumber", "stateTaxNumber", "cityTaxNumber", "email", "phone", "mobilePhone", "address")
}
