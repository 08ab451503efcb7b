package einvoice

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/plain"
)

// SettingsBlock is one block of a company's settings, each field as the service wrote it.
type SettingsBlock map[string]json.RawMessage

// Settings is the settings document of a company, kept raw: a write replaces a block, so
// that nothing of it may be lost here.
type Settings struct {
	// Blocks holds general, productInvoice, consumerInvoice, serviceInvoice, and
	// blocks this package does not know. A block the service shows as null is absent.
	Blocks map[string]SettingsBlock
	Raw    json.RawMessage
}

// settingsBlocks are the blocks of the specification (Company).
var settingsBlocks = []string{"general", ModelProduct, ModelConsumer, ModelService}

// CompanySettings reads the settings of a company.
func (c *Client) CompanySettings(ctx context.Context, companyID string) (*Settings, error) {
	a, err := c.do(ctx, c.operation("get_settings", companyID))
	if err != nil {
		return nil, err
	}
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
		if block := membersOf(member); block != nil {
			settings.Blocks[name] = block
		}
	}
	return settings, nil
}

// PutCompanySettings sends these blocks, the values byte for byte. The service leaves other blocks alone, and resets
// every field that a sent block lacks: send complete blocks, made of settings that were read right before. again makes
// them of settings that are read later, where the client has to wait, and which an earlier attempt may have changed.
// Without blocks nothing is sent.
func (c *Client) PutCompanySettings(
	ctx context.Context, companyID string, blocks map[string]SettingsBlock,
	again func(held *Settings, mayBeDone bool) (map[string]SettingsBlock, error),
) error {
	req := c.operation("update_settings", companyID)
	req.readAt = time.Now()
	req.renew = func(ctx context.Context, c *Client, mayBeDone bool) ([]byte, error) {
		held, err := c.CompanySettings(ctx, companyID)
		if err != nil {
			return nil, err
		}
		blocks, err := again(held, mayBeDone)
		if err != nil {
			return nil, err
		}
		return settingsBody(blocks)
	}
	var err error
	if req.body, err = settingsBody(blocks); err == nil {
		isThere := func(ctx context.Context) bool { return isFound(c.CompanySettings(ctx, companyID)) }
		_, err = c.change(ctx, req, isThere)
	} else {
		err = c.refuse(req, err)
	}
	if errors.Is(err, errNoBlocks) {
		return nil
	}
	return err
}

var errNoBlocks = errors.New("there is no block to send")

func settingsBody(blocks map[string]SettingsBlock) (json.RawMessage, error) {
	if len(blocks) == 0 {
		return nil, errNoBlocks
	}
	document := map[string]json.RawMessage{}
	for name, block := range blocks {
		document[name] = objectOf(block)
	}
	body := objectOf(document)
	if !json.Valid(body) {
		return nil, errors.New("a value of the settings is not JSON")
	}
	return body, nil
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
