package sandbox

// The handlers that several kinds of document have in common.

// stored is the document of the path.
func (c *call) stored(kind string) (object, error) {
	doc, ok := c.s.get(kind, c.id())
	if !ok {
		return nil, notFound()
	}
	return doc, nil
}

// owned hands the document of the path to a handler, if it is the calling company's.
func owned(kind string, h func(c *call, doc object) (any, error)) handler {
	return func(c *call) (any, error) {
		doc, ok := c.s.get(kind, c.id())
		if !ok || text(doc, "_company") != c.companyID() {
			return nil, notFound()
		}
		return h(c, doc)
	}
}

// creates stores the document that a body describes.
func creates(kind string, body func(*call) (object, error)) handler {
	return func(c *call) (any, error) {
		doc, err := body(c)
		if err != nil {
			return nil, err
		}
		return c.s.insert(kind, doc), nil
	}
}

// reads answers the document of the path.
func reads(kind string) handler {
	return func(c *call) (any, error) { return c.stored(kind) }
}

// lists answers all documents in pages.
func lists(kind string) handler {
	return func(c *call) (any, error) { return c.page(c.s.listed(kind, nil), nil) }
}

// replaces puts what a body describes in the place of the document of the path: what it leaves out becomes null.
func replaces(kind string, body func(*call) (object, error)) handler {
	return func(c *call) (any, error) {
		if _, err := c.stored(kind); err != nil {
			return nil, err
		}
		doc, err := body(c)
		if err != nil {
			return nil, err
		}
		return c.s.replace(kind, c.id(), doc), nil
	}
}

// deletes removes the document of the path.
func deletes(kind string) handler {
	return func(c *call) (any, error) {
		if !c.s.remove(kind, c.id()) {
			return nil, notFound()
		}
		return success(), nil
	}
}
