package sandbox

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// settingsDocument is the settings of one company, block by block.
type settingsDocument map[string]*settingsBlock

// settingsBlock keeps each field twice: its value, which the service's rules read and change, and its spelling. While
// both agree, the answer has the spelling byte for byte: that exposes a client that rewrites what it only read.
type settingsBlock struct {
	values    object
	spellings map[string]json.RawMessage
}

// settingsOf returns a company's settings, made of what a new company has when it has none yet; nil when there is no
// such company. The caller of this and of the other unexported functions here holds the lock.
func (s *Server) settingsOf(companyID string) settingsDocument {
	company, ok := s.get(KindCompanies, companyID)
	if !ok {
		return nil
	}
	id := text(company, "id")
	doc, ok := s.settings[id]
	if !ok {
		doc = settingsDocument{}
		for _, block := range settingsBlocks {
			doc[block.name] = block.unset(true)
		}
		s.settings[id] = doc
	}
	return doc
}

// settingsBlock returns the values of one block of a company's settings, for reading and for changing in place; nil
// when there is no such company or block.
func (s *Server) settingsBlock(companyID, block string) object {
	if b := s.settingsOf(companyID)[block]; b != nil {
		return b.values
	}
	return nil
}

func newSettingsBlock() *settingsBlock {
	return &settingsBlock{values: object{}, spellings: map[string]json.RawMessage{}}
}

// spell stores a field as it is spelled.
func (b *settingsBlock) spell(name string, spelling json.RawMessage) {
	b.values[name] = decoded(spelling)
	b.spellings[name] = slices.Clone(spelling)
}

// set stores a value, with the spelling it came in where that says the same.
func (b *settingsBlock) set(name string, value any, spelling json.RawMessage) {
	b.values[name] = value
	delete(b.spellings, name)
	if spelling != nil {
		b.spellings[name] = slices.Clone(spelling)
	}
}

// written returns a field as it is answered.
func (b *settingsBlock) written(name string) []byte {
	value := mustJSON(b.values[name])
	if spelling, ok := b.spellings[name]; ok && bytes.Equal(mustJSON(decoded(spelling)), value) {
		return spelling
	}
	return value
}

// write writes the document: the known blocks and fields in their order, then the others by name.
// shown changes what is written of a field, nil leaves it out.
func (d settingsDocument) write(companyID string, shown func(block, name string, written []byte) []byte) []byte {
	var out bytes.Buffer
	out.WriteString(`{"companyId":`)
	out.Write(mustJSON(companyID))
	for _, block := range settingsBlocks {
		out.WriteByte(',')
		out.Write(mustJSON(block.name))
		out.WriteString(":{")
		separate := false
		for _, name := range d[block.name].names(block) {
			written := shown(block.name, name, d[block.name].written(name))
			if written == nil {
				continue
			}
			if separate {
				out.WriteByte(',')
			}
			separate = true
			out.Write(mustJSON(name))
			out.WriteByte(':')
			out.Write(written)
		}
		out.WriteByte('}')
	}
	out.WriteByte('}')
	return out.Bytes()
}

func (b *settingsBlock) names(block settingsBlockShape) []string {
	var names []string
	for _, field := range block.fields {
		if _, ok := b.values[field.name]; ok {
			names = append(names, field.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.values)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// SettingsClear returns a copy of a company's settings with the secrets in clear, block by block; nil when there is no
// such company.
func (s *Server) SettingsClear(companyID string) map[string]any {
	return locked(s, func() object {
		doc := s.settingsOf(companyID)
		if doc == nil {
			return nil
		}
		out := object{}
		for name, block := range doc {
			out[name] = wired(block.values)
		}
		return out
	})
}

// SettingsJSON returns a company's settings document with the secrets in clear and every field in the spelling it is
// stored with, for comparing byte for byte; nil when there is no such company.
func (s *Server) SettingsJSON(companyID string) []byte {
	return locked(s, func() []byte {
		doc := s.settingsOf(companyID)
		if doc == nil {
			return nil
		}
		return doc.write(companyID, func(_, _ string, written []byte) []byte { return written })
	})
}

// SetSettings sets fields of a company's settings as somebody else would: {"general": {"decimalPrecision": 3}}. Other
// fields stay, no rule is checked, and a json.RawMessage keeps its spelling. It reports whether the company exists.
// An unknown block is a mistake of the caller and panics.
func (s *Server) SetSettings(companyID string, changes map[string]any) bool {
	return locked(s, func() bool {
		doc := s.settingsOf(companyID)
		if doc == nil {
			return false
		}
		for name, change := range changes {
			block, fields := doc[name], part(changes, name)
			if block == nil || fields == nil {
				panic("sandbox: no settings block with fields: " + name + " " + string(mustJSON(change)))
			}
			for field, value := range fields {
				spelling, isRaw := value.(json.RawMessage)
				if !isRaw {
					spelling = mustJSON(value)
				}
				block.spell(field, spelling)
			}
		}
		return true
	})
}

// decoded reads a JSON value into wire form.
func decoded(spelling json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(spelling))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		panic("sandbox: value is no JSON: " + err.Error())
	}
	return v
}
