package sandbox

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// object is a document in its wire form.
type object = map[string]any

// The kinds of document, as Objects, Object, Patch, Remove and Seed take them.
const (
	KindCompanies        = "companies"
	KindCustomers        = "customers"
	KindProducts         = "products"
	KindWebhooks         = "webhooks"
	KindServiceInvoices  = "serviceInvoices"
	KindProductInvoices  = "productInvoices"
	KindConsumerInvoices = "consumerInvoices"
	KindOrders           = "orders"
	KindCertificates     = "certificates"
	KindDisablements     = "disablements"
	KindInbound          = "inbound"
)

var kinds = []string{
	KindCompanies, KindCustomers, KindProducts, KindWebhooks, KindServiceInvoices, KindProductInvoices,
	KindConsumerInvoices, KindOrders, KindCertificates, KindDisablements, KindInbound,
}

// ownFields are the fields that the service itself sets on every object. Clients that send a whole record back send
// them too.
var ownFields = []string{"id", "tenant", "creationTime", "lastModificationTime"}

// shelf holds the documents of one kind in the order of their creation, and those deleted that lists may still show.
type shelf struct {
	order   []string
	byID    map[string]*entry
	deleted []deletion
}

type deletion struct {
	*entry
	unlisted time.Time
}

// entry is one document with the versions that lists may still show. born counts the creations of all kinds. Only
// invoices have a history.
type entry struct {
	versions []version
	born     int
	history  []stateChange
}

type version struct {
	doc    object
	listed time.Time
}

func newShelf() *shelf { return &shelf{byID: map[string]*entry{}} }

func (e *entry) latest() object { return e.versions[len(e.versions)-1].doc }

// listed returns the document as lists show it, nil where they do not yet.
func (e *entry) listed(now time.Time) object {
	for _, v := range slices.Backward(e.versions) {
		if !v.listed.After(now) {
			return v.doc
		}
	}
	return nil
}

// listNow lets lists show the document as it is.
func (e *entry) listNow() { e.versions = []version{{doc: e.latest()}} }

func (s *Server) shelf(kind string) *shelf {
	sh, ok := s.shelves[kind]
	if !ok {
		panic("sandbox: no kind of document is called " + kind)
	}
	return sh
}

// shape registers what completes a seeded document of a kind, usually the nulls of unset fields.
func (s *Server) shape(kind string, complete func(object)) { s.shapes[kind] = complete }

// insert stores a new document under its id, a fresh one where it has none, and returns it as stored.
// The caller of this and of every unexported method here holds the lock.
func (s *Server) insert(kind string, doc object) object {
	return s.store(kind, doc, s.clock.Now().Add(s.opts.ListLag))
}

func (s *Server) store(kind string, doc object, listed time.Time) object {
	doc = wired(doc)
	id, _ := doc["id"].(string)
	if id == "" {
		id = s.newID()
	}
	id = strings.ToLower(id)
	doc["id"] = id
	// Fields that no client knows, objects and nulls among them.
	setDefault(doc, "tenant", object{"id": json.Number("4711"), "name": "default", "parent": nil})
	setDefault(doc, "creationTime", instant(s.clock.Now()))
	setDefault(doc, "lastModificationTime", nil)
	sh := s.shelf(kind)
	e, exists := sh.byID[id]
	if !exists {
		sh.order = append(sh.order, id)
		s.born++
		e = &entry{born: s.born}
		sh.byID[id] = e
	}
	e.versions = []version{{doc, listed}}
	s.remember(kind, e)
	return wired(doc)
}

// get returns a copy of a document as it is now.
func (s *Server) get(kind, id string) (object, bool) {
	e, ok := s.shelf(kind).byID[strings.ToLower(id)]
	if !ok {
		return nil, false
	}
	return wired(e.latest()), true
}

// replace stores the result of a PUT of the whole record: the new fields, and of the old document only the service's
// own. It returns the stored document, nil if there was none.
func (s *Server) replace(kind, id string, fields object) object {
	s.update(kind, id, func(doc object) {
		for name := range doc {
			if !slices.Contains(ownFields, name) && !strings.HasPrefix(name, "_") {
				delete(doc, name)
			}
		}
		maps.Copy(doc, fields)
	})
	doc, _ := s.get(kind, id)
	return doc
}

// update lets change work on a copy and stores that as the newest version; lists follow after ListLag.
func (s *Server) update(kind, id string, change func(object)) bool {
	e, ok := s.shelf(kind).byID[strings.ToLower(id)]
	if !ok {
		return false
	}
	now := s.clock.Now()
	doc := wired(e.latest())
	change(doc)
	doc = wired(doc)
	doc["id"] = strings.ToLower(id)
	doc["lastModificationTime"] = instant(now)
	// Lists no longer show the versions before this one.
	current := 0
	for i, v := range e.versions {
		if !v.listed.After(now) {
			current = i
		}
	}
	e.versions = append(e.versions[current:], version{doc, now.Add(s.opts.ListLag)})
	s.remember(kind, e)
	return true
}

// remove deletes a document; lists follow after DeletionLag.
func (s *Server) remove(kind, id string) bool {
	sh := s.shelf(kind)
	id = strings.ToLower(id)
	e, ok := sh.byID[id]
	if !ok {
		return false
	}
	if s.opts.DeletionLag > 0 {
		sh.deleted = append(sh.deleted, deletion{e, s.clock.Now().Add(s.opts.DeletionLag)})
	}
	delete(sh.byID, id)
	sh.order = slices.DeleteFunc(sh.order, func(other string) bool { return other == id })
	return true
}

// all returns copies of the documents as they are now, in the order of creation; a nil match takes every one.
func (s *Server) all(kind string, match func(object) bool) []object {
	sh := s.shelf(kind)
	docs := []object{}
	for _, id := range sh.order {
		if doc := sh.byID[id].latest(); match == nil || match(doc) {
			docs = append(docs, wired(doc))
		}
	}
	return docs
}

// find returns the first document that matches as it is now. Rules such as uniqueness look here, never at the lists.
func (s *Server) find(kind string, match func(object) bool) (object, bool) {
	sh := s.shelf(kind)
	for _, id := range sh.order {
		if doc := sh.byID[id].latest(); match(doc) {
			return wired(doc), true
		}
	}
	return nil, false
}

// listed returns the documents of a list: those that match in the version that the lags let lists show, deleted ones
// last. They are no copies; see page, which copies what it answers.
func (s *Server) listed(kind string, match func(object) bool) []object {
	now := s.clock.Now()
	sh := s.shelf(kind)
	docs := []object{}
	show := func(e *entry) {
		if doc := e.listed(now); doc != nil && (match == nil || match(doc)) {
			docs = append(docs, doc)
		}
	}
	for _, id := range sh.order {
		show(sh.byID[id])
	}
	sh.deleted = slices.DeleteFunc(sh.deleted, func(d deletion) bool { return !d.unlisted.After(now) })
	for _, d := range sh.deleted {
		show(d.entry)
	}
	return docs
}

// Objects returns copies of all documents of a kind as they are now, in the order of creation.
func (s *Server) Objects(kind string) []map[string]any {
	return locked(s, func() []object { return s.all(kind, nil) })
}

// Object returns a copy of one document as it is now.
func (s *Server) Object(kind, id string) (doc map[string]any, ok bool) {
	s.locked(func() { doc, ok = s.get(kind, id) })
	return doc, ok
}

// Patch changes a document as somebody else would: it merges objects and sets everything else, null included. It
// reports whether the document exists. Lists show the change at once.
func (s *Server) Patch(kind, id string, changes map[string]any) bool {
	return locked(s, func() bool {
		ok := s.update(kind, id, func(doc object) { merge(doc, wired(changes)) })
		if ok {
			s.shelf(kind).byID[strings.ToLower(id)].listNow()
		}
		return ok
	})
}

// Remove deletes a document as somebody else would. It reports whether it existed.
func (s *Server) Remove(kind, id string) bool {
	return locked(s, func() bool { return s.remove(kind, id) })
}

// Seed stores a document as if it had long existed, completes it with the nulls of its kind, and returns its id. Lists
// show it at once. No rule is checked.
func (s *Server) Seed(kind string, doc map[string]any) string {
	return locked(s, func() string {
		doc = wired(doc)
		if complete := s.shapes[kind]; complete != nil {
			complete(doc)
		}
		return text(s.store(kind, doc, time.Time{}), "id")
	})
}

func merge(into, changes object) {
	for name, value := range changes {
		part, isObject := value.(object)
		old, wasObject := into[name].(object)
		if isObject && wasObject {
			merge(old, part)
			continue
		}
		into[name] = value
	}
}

// wired returns a copy of a document in wire form, whatever Go values it was made of.
func wired(doc object) object {
	out := make(object, len(doc))
	for name, value := range doc {
		out[name] = wiredValue(value)
	}
	return out
}

func wiredValue(v any) any {
	switch v := v.(type) {
	case nil, string, bool, json.Number:
		return v
	case object:
		if v == nil {
			return nil
		}
		return wired(v)
	case []any:
		if v == nil {
			return nil
		}
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = wiredValue(value)
		}
		return out
	default:
		return decoded(mustJSON(v))
	}
}

// fieldsOf is the part of a document that has these fields.
func fieldsOf(doc object, names ...string) object {
	out := make(object, len(names))
	for _, name := range names {
		out[name] = doc[name]
	}
	return out
}

func setDefault(doc object, name string, value any) {
	if _, set := doc[name]; !set {
		doc[name] = value
	}
}

// nulls sets the fields a document lacks to null, as the service answers unset ones.
func nulls(doc object, names ...string) {
	for _, name := range names {
		setDefault(doc, name, nil)
	}
}

// text reads a string field; null and missing read as "".
func text(doc object, name string) string {
	v, _ := doc[name].(string)
	return v
}

// integer reads a number field of a stored document; null and missing read as 0.
func integer(doc object, name string) int64 {
	n, _ := doc[name].(json.Number)
	i, _ := n.Int64()
	return i
}

// truth reads a boolean field; null and missing read as false.
func truth(doc object, name string) bool {
	v, _ := doc[name].(bool)
	return v
}

// part reads an object field of a stored document, for reading and for changing in place; nil where there is none.
func part(doc object, name string) object {
	v, _ := doc[name].(object)
	return v
}
