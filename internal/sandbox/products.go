package sandbox

// routesProducts registers the products. Which key they need is not shown; every company's reaches them, as customers.
func (s *Server) routesProducts() {
	s.shape(KindProducts, completeProduct)
	s.route("POST /v1/products", anyKey, s.createProduct)
	s.route("GET /v1/products", anyKey, s.listProducts)
	s.route("GET /v1/products/{id}", anyKey, s.readProduct)
	s.route("PUT /v1/products/{id}", anyKey, s.replaceProduct)
	s.route("DELETE /v1/products/{id}", anyKey, s.deleteProduct)
}

// createProduct is reported. Nothing is said of a second product with the same code; it is assumed to be accepted.
func (s *Server) createProduct(c *call) (any, error) {
	doc, err := c.product()
	if err != nil {
		return nil, err
	}
	return s.insert(KindProducts, doc), nil
}

// replaceProduct is reported. That a field left out becomes null is assumed from companies, where it was observed.
func (s *Server) replaceProduct(c *call) (any, error) {
	if _, ok := s.get(KindProducts, c.id()); !ok {
		return nil, notFound()
	}
	doc, err := c.product()
	if err != nil {
		return nil, err
	}
	return s.replace(KindProducts, c.id(), doc), nil
}

// readProduct is reported; the specification does not name it.
func (s *Server) readProduct(c *call) (any, error) {
	doc, ok := s.get(KindProducts, c.id())
	if !ok {
		return nil, notFound()
	}
	return doc, nil
}

// listProducts is reported, a paged list. Its filters are not shown, so there are none.
func (s *Server) listProducts(c *call) (any, error) {
	return c.page(s.listedAsStored(KindProducts, nil))
}

// deleteProduct follows the specification, Endpoints.
func (s *Server) deleteProduct(c *call) (any, error) {
	if !s.remove(KindProducts, c.id()) {
		return nil, notFound()
	}
	return success(), nil
}

// product reads a product body: four fields are reported, their limits are not. That name and code are required is assumed.
func (c *call) product() (object, error) {
	in, err := c.input()
	if err != nil {
		return nil, err
	}
	in.own()
	doc := object{
		"name":         in.required("name", 0),
		"code":         in.required("code", 0),
		"price":        in.number("price"),
		"invoiceModel": in.enum("invoiceModel", "productInvoice", "consumerInvoice", "serviceInvoice"),
	}
	in.extras(KindProducts, doc)
	return doc, in.check()
}

func completeProduct(doc object) {
	nulls(doc, "name", "code", "price", "invoiceModel")
}
