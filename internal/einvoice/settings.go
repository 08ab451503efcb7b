package einvoice

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/plain"
)

// SettingsBlock is one block of a company's settings, each field as the service wrote it.
type SettingsBlock map[string]json.RawMessage

// Settings is the settings document of a company, kept raw: a write replaces a block, so
// that nothing of it may be lost here.
type Settings struct {
	// Blocks holds general, productInvoice, consumerInvoice, serviceInvoice, and
	// blocks this package does not know. A block the service shows as null is absent.
	// The next number of a block is its nextNumber here, also where the service writes currentNumber.
	Blocks map[string]SettingsBlock
	Raw    json.RawMessage
}

// Integrations report either name for the next number of NFC-e.
const nextNumber, currentNumber = "nextNumber", "currentNumber"

// isCurrent reports whether a block writes currentNumber. A new company's may be null, beside no nextNumber at all.
func isCurrent(block SettingsBlock) bool {
	if block[nextNumber] == nil {
		return block[currentNumber] != nil
	}
	return jsontree.IsNull(block[nextNumber]) && !jsontree.IsNull(block[currentNumber])
}

// settingsBlocks are the blocks of the specification (Company).
var settingsBlocks = []string{"general", ModelProduct, ModelConsumer, ModelService}

// CompanySettings reads the settings of a company.
func (c *Client) CompanySettings(ctx context.Context, companyID string) (*Settings, error) {
	a, err := c.do(ctx, c.operation("get_settings", companyID))
	if err != nil {
		return nil, err
	}
	return settingsFrom(a, companyID)
}

// settingsFrom takes the settings of a company from an answer.
func settingsFrom(a *answer, companyID string) (*Settings, error) {
	raw := unwrapped(a.body)
	members := membersOf(raw)
	if members == nil {
		return nil, a.bad("the answer is not a settings document")
	}
	if id := textOf(members["companyId"]); id != "" && !SameID(id, companyID) {
		return nil, a.bad("it is about another company, " + plain.Excerpt(id, maxTraceID))
	}
	isShown := func(name string) bool { return members[name] != nil }
	if len(members) > 0 && !slices.ContainsFunc(settingsBlocks, isShown) {
		return nil, a.bad("the answer is not a settings document: it has no block of settings")
	}
	settings := &Settings{Blocks: make(map[string]SettingsBlock, len(members)), Raw: raw}
	for name, member := range members {
		block := membersOf(member)
		if block == nil {
			continue
		}
		if settings.Blocks[name] = block; isCurrent(block) {
			block[nextNumber] = block[currentNumber]
			delete(block, currentNumber)
		}
	}
	return settings, nil
}

// RewriteSettings reads the settings and sends the blocks that change makes of them, byte for byte. The service leaves
// other blocks alone, and resets every field that a sent block lacks: change returns complete blocks, or none to send
// nothing. It only computes, is called again for a repetition, and its error is returned.
func (c *Client) RewriteSettings(
	ctx context.Context, companyID string, change func(held *Settings) (map[string]SettingsBlock, error),
) error {
	read := func(ctx context.Context, permits *pair) (*answer, error) {
		req := c.operation("get_settings", companyID)
		req.permits = permits
		return c.do(ctx, req)
	}
	req := c.operation("update_settings", companyID)
	isThere := func(ctx context.Context) bool { return isFound(c.CompanySettings(ctx, companyID)) }
	_, err := c.rewrite(ctx, req, isThere, read, func(held *answer) ([]byte, error) {
		settings, err := settingsFrom(held, companyID)
		if err != nil {
			return nil, err
		}
		blocks, err := change(settings)
		if err != nil || len(blocks) == 0 {
			return nil, err
		}
		body := settings.body(blocks)
		if !json.Valid(body) {
			return nil, c.refuse(req, errors.New("a value of the settings is not JSON"))
		}
		return body, nil
	})
	return err
}

// body writes blocks in the words that the service has shown.
func (v *Settings) body(blocks map[string]SettingsBlock) json.RawMessage {
	shown, document := membersOf(v.Raw), map[string]json.RawMessage{}
	for name, block := range blocks {
		if isCurrent(membersOf(shown[name])) {
			block = maps.Clone(block)
			block[currentNumber] = block[nextNumber]
			delete(block, nextNumber)
		}
		document[name] = objectOf(block)
	}
	return objectOf(document)
}

// objectOf writes an object whose members stay as they are, byte for byte: an encoder would drop their spaces.
func objectOf(members map[string]json.RawMessage) json.RawMessage {
	fields := make([]string, 0, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		quoted, _ := json.Marshal(name) // A text can be encoded.
		fields = append(fields, string(quoted)+":"+string(members[name]))
	}
	return json.RawMessage("{" + strings.Join(fields, ",") + "}")
}
