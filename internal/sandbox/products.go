package sandbox

// routesProducts registers the products. Their key is not documented: every key reaches them, as it does customers.
// Only the deletion is in the specification; the rest is reported. Two assumptions: a second product with the same
// code is accepted, and a PUT makes null what it leaves out, as of companies.
func (s *Server) routesProducts() {
	s.shape(KindProducts, completeProduct)
	s.route("POST /v1/products", sharedKey, creates(KindProducts, (*call).product))
	s.route("GET /v1/products", sharedKey, lists(KindProducts, asStored))
	s.route("GET /v1/products/{id}", sharedKey, reads(KindProducts, asStored))
	s.route("PUT /v1/products/{id}", sharedKey, replaces(KindProducts, (*call).product, asStored))
	s.route("DELETE /v1/products/{id}", sharedKey, deletes(KindProducts))
}

// product reads a product body. Its four fields are reported without limits; the required name and code are assumed.
func (c *call) product() (object, error) {
	in := c.input()
	in.own()
	doc := object{
		"name":         in.required("name", 0),
		"code":         in.required("code", 0),
		"price":        in.number("price"),
		"invoiceModel": in.enum("invoiceModel", "productInvoice", "consumerInvoice", "serviceInvoice"),
	}
	c.s.capitals(doc, "name", "code")
	in.extras(KindProducts, doc)
	return doc, in.check()
}

func completeProduct(doc object) {
	nulls(doc, "name", "code", "price", "invoiceModel")
}
