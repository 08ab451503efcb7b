package sandbox

// routesProducts registers the products. Which key they need is not shown; every company's reaches them, as customers.
// Only the deletion is in the specification, the rest is reported. A second product with the same code is assumed to be
// accepted, and that a PUT makes null what it leaves out is assumed from companies.
func (s *Server) routesProducts() {
	s.shape(KindProducts, completeProduct)
	s.route("POST /v1/products", anyKey, creates(KindProducts, (*call).product))
	s.route("GET /v1/products", anyKey, lists(KindProducts, asStored))
	s.route("GET /v1/products/{id}", anyKey, reads(KindProducts, asStored))
	s.route("PUT /v1/products/{id}", anyKey, replaces(KindProducts, (*call).product, asStored))
	s.route("DELETE /v1/products/{id}", anyKey, deletes(KindProducts))
}

// product reads a product body: four fields are reported, their limits are not. That name and code are required is assumed.
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
