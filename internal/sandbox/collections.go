package sandbox

// The handlers that several kinds of document share.

// stored hands the document of the path to a handler.
func stored(kind string, h func(c *call, doc object) (any, error)) handler {
	return func(c *call) (any, error) {
		doc, ok := c.s.get(kind, c.id())
		if !ok {
			return nil, notFound()
		}
		return h(c, doc)
	}
}

// owned hands the document of the path to a handler, if it is the calling company's.
func owned(kind string, h func(c *call, doc object) (any, error)) handler {
	return stored(kind, func(c *call, doc object) (any, error) {
		if text(doc, "_company") != c.companyID() {
			return nil, notFound()
		}
		return h(c, doc)
	})
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

// asStored shows a document as it is kept.
func asStored(doc object) object { return doc }

// reads answers the document of the path.
func reads(kind string, shown func(object) object) handler {
	return stored(kind, func(_ *call, doc object) (any, error) { return shown(doc), nil })
}

// lists answers all documents in pages.
func lists(kind string, shown func(object) object) handler {
	return func(c *call) (any, error) {
		page, err := c.page(c.s.listed(kind, nil), shown)
		if members, ok := page.(object); ok && c.s.opts.NamedLists {
			return object{kind: members["items"], "paging": object{"total": members["totalCount"]}}, nil
		}
		return page, err
	}
}

// replaces replaces the document of the path by the body: fields that the body leaves out become null.
func replaces(kind string, body func(*call) (object, error), shown func(object) object) handler {
	return stored(kind, func(c *call, _ object) (any, error) {
		doc, err := body(c)
		if err != nil {
			return nil, err
		}
		return shown(c.s.replace(kind, c.id(), doc)), nil
	})
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
