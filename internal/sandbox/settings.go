package sandbox

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
)

// routesSettings registers the settings of companies, which only the main company's key reaches.
func (s *Server) routesSettings() {
	s.route("GET /v1/companies/{id}/settings", ownerKey, s.readSettings)
	s.route("PUT /v1/companies/{id}/settings", ownerKey, s.replaceSettings)
}

// readSettings follows the specification, Endpoints; that secrets are masked is assumed, see Options.SecretReads.
func (s *Server) readSettings(c *call) (any, error) {
	doc := s.settingsOf(c.id())
	if doc == nil {
		return nil, notFound()
	}
	return s.showSettings(c.id(), doc), nil
}

// replaceSettings is reported by three integrations: a block that is absent is left alone; inside a block every field
// that is left out goes back to its default. A field the service does not know is assumed to be kept as sent.
func (s *Server) replaceSettings(c *call) (any, error) {
	doc := s.settingsOf(c.id())
	if doc == nil {
		return nil, notFound()
	}
	in := c.input()
	if in.unreadable != nil {
		return nil, in.unreadable
	}
	in.own("companyId")
	var spelled map[string]json.RawMessage
	if err := json.Unmarshal(c.body, &spelled); err != nil {
		return nil, err
	}
	replaced := settingsDocument{}
	for _, shape := range settingsBlocks {
		sent := in.child(shape.name)
		if sent == nil {
			if s.opts.SettingsReplaceAll {
				replaced[shape.name] = shape.unset(s.opts.SettingsResetFilled)
			}
			continue
		}
		var spellings map[string]json.RawMessage
		if err := json.Unmarshal(spelled[shape.name], &spellings); err != nil {
			return nil, err
		}
		block := sent.settings(shape, spellings)
		// Specification, What the service does, rule 8.
		signable := text(block.values, "tokenId") != "" && text(block.values, "csc") != ""
		if truth(block.values, "allowOfflineContingency") && !signable {
			sent.fail("allowOfflineContingency", "The field AllowOfflineContingency requires TokenId and Csc.")
		}
		if s.opts.NoProduction && text(block.values, "environmentType") == "production" {
			sent.fail("environmentType", "The environment 'production' is not available in a test account.")
		}
		replaced[shape.name] = block
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	maps.Copy(doc, replaced)
	if s.opts.EmptySettingsAnswer {
		return &reply{}, nil
	}
	return s.showSettings(c.id(), doc), nil
}

// unset is the block after a PUT that leaves all of it out: blank, or filled as that of a new company.
func (shape settingsBlockShape) unset(filled bool) *settingsBlock {
	block := newSettingsBlock()
	for _, field := range shape.fields {
		value := field.reset
		if filled {
			value = field.fresh
		}
		block.spell(field.name, json.RawMessage(value))
	}
	return block
}

// settings reads a whole block as it was sent.
func (f *fields) settings(shape settingsBlockShape, spellings map[string]json.RawMessage) *settingsBlock {
	block := newSettingsBlock()
	for _, field := range shape.fields {
		reset := json.RawMessage(field.reset)
		if !f.has(field.name) {
			block.spell(field.name, reset)
			continue
		}
		value := field.read(f, field.name)
		if value == nil {
			// Null means unset, as absence does.
			block.spell(field.name, reset)
			continue
		}
		block.set(field.name, value, spellings[field.name])
	}
	for name, value := range f.in {
		if _, ok := block.values[name]; !ok {
			block.set(name, value, spellings[name])
		}
	}
	return block
}

// showSettings is the document as it is answered, in the spelling it is stored with.
func (s *Server) showSettings(companyID string, doc settingsDocument) *reply {
	body := doc.write(companyID, func(block, name string, written []byte) []byte {
		if name == "technicalResponsible" {
			return s.showResponsible(written)
		}
		if !secretSetting(block, name) {
			return written
		}
		value, answered := s.shownSecret(decoded(written))
		switch {
		case !answered:
			return nil
		case value == doc[block].values[name]:
			return written
		default:
			return mustJSON(value)
		}
	})
	if s.opts.WrapResults {
		body = append(append([]byte(`{"result":`), body...), '}')
	}
	return &reply{status: http.StatusOK, contentType: contentTypeJSON, body: body}
}

// showResponsible shows the texts in the csrts as secrets: that they are masked is assumed, as it is of other secrets.
func (s *Server) showResponsible(written []byte) []byte {
	responsible, _ := decoded(written).(map[string]any)
	codes, _ := responsible["csrts"].([]any)
	if len(codes) == 0 || s.opts.SecretReads == SecretsClear {
		return written
	}
	switch s.opts.SecretReads {
	case SecretsAbsent:
		delete(responsible, "csrts")
	case SecretsNull:
		responsible["csrts"] = nil
	default:
		masked := s.maskedTexts(codes)
		if bytes.Equal(mustJSON(masked), mustJSON(codes)) {
			return written
		}
		responsible["csrts"] = masked
	}
	return mustJSON(responsible)
}

func (s *Server) maskedTexts(value any) any {
	switch value := value.(type) {
	case string:
		shown, _ := s.shownSecret(value)
		return shown
	case []any:
		masked := make([]any, len(value))
		for i, element := range value {
			masked[i] = s.maskedTexts(element)
		}
		return masked
	case map[string]any:
		masked := map[string]any{}
		for name, member := range value {
			if _, isText := member.(string); !isText || s.opts.SecretReads != SecretsCut {
				masked[name] = s.maskedTexts(member)
			}
		}
		return masked
	}
	return value
}

func secretSetting(block, name string) bool {
	for _, shape := range settingsBlocks {
		for _, field := range shape.fields {
			if shape.name == block && field.name == name {
				return field.secret
			}
		}
	}
	return false
}
