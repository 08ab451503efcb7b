package sandbox

import "strings"

// routesCustomers registers the customers. All companies share them, and the specification names no key for them:
// every key reaches them. It shows creation, change and list; the read and the deletion are reported. Two
// assumptions: a second customer with the same tax number is accepted, and a PUT makes null what it leaves out, as
// observed of companies.
func (s *Server) routesCustomers() {
	s.shape(KindCustomers, func(doc object) {
		completeCustomer(doc)
		s.emptyAddress(doc)
	})
	s.route("POST /v1/customers", sharedKey, creates(KindCustomers, (*call).customer))
	s.route("GET /v1/customers", sharedKey, s.listCustomers)
	s.route("GET /v1/customers/{id}", sharedKey, reads(KindCustomers, asStored))
	s.route("PUT /v1/customers/{id}", sharedKey, replaces(KindCustomers, (*call).customer, asStored))
	if !s.opts.NoCustomerDelete {
		s.route("DELETE /v1/customers/{id}", sharedKey, deletes(KindCustomers))
	}
}

// listCustomers follows the specification, Endpoints: described as a paginated list, with a single Customer as its
// sample. Its filters are not shown, so there are none.
func (s *Server) listCustomers(c *call) (any, error) {
	docs := s.listed(KindCustomers, nil)
	if s.opts.SingleObjectLists && len(docs) == 1 {
		return docs[0], nil
	}
	return c.page(docs, asStored)
}

// customer reads a customer body; the lengths are those of the specification, section Limits. That only the name is
// required is assumed.
func (c *call) customer() (object, error) {
	in := c.input()
	in.own()
	doc := object{
		"name":             in.required("name", 80),
		"legalName":        in.text("legalName", 80),
		"federalTaxNumber": in.taxNumber("federalTaxNumber", 14),
		"stateTaxNumber":   in.stateTax(),
		"cityTaxNumber":    in.text("cityTaxNumber", 20),
		"email":            in.email("email", 50),
		"phone":            in.phone("phone", 15),
		"mobilePhone":      in.phone("mobilePhone", 15),
		"address":          in.address("address", true),
	}
	c.s.capitals(doc, "name", "legalName")
	c.s.emptyAddress(doc)
	in.extras(KindCustomers, doc)
	return doc, in.check()
}

// emptyAddress gives a customer without an address an empty one, if Options.EmptyAddresses is set.
func (s *Server) emptyAddress(doc object) {
	if s.opts.EmptyAddresses && doc["address"] == nil {
		city := object{"code": nil, "name": nil, "state": nil}
		doc["address"] = object{"street": nil, "number": "", "city": city, "country": nil}
	}
}

// capitals stores texts in capital letters, if Options.Capitals is set. It is not documented whether a service does
// so.
func (s *Server) capitals(doc object, names ...string) {
	for _, name := range names {
		if value, ok := doc[name].(string); ok && s.opts.Capitals {
			doc[name] = strings.ToUpper(unaccent.Replace(strings.ToLower(value)))
		}
	}
}

func completeCustomer(doc object) {
	nulls(doc, "name", "legalName", "federalTaxNumber", "stateTaxNumber", "cityTaxNumber",
		"email", "phone", "mobilePhone", "address")
}
