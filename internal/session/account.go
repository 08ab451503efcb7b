package session

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// A plan is for the account that it was made with. A new object shows its account in the plan, and the CLI itself ends
// an apply in which that has become another one. The account of an update or a destroy stands in private data: a plan
// that is saved holds what its refresh has noted there.

// privateAccount has the account that an object was last read or written with; "" if that was not known.
const privateAccount = "account"

// PlannedAccount is the account of an object that is about to be created; unknown while its key is.
func (s *Session) PlannedAccount() types.String {
	if account := s.account(); account != "" {
		return types.StringValue(account)
	}
	return types.StringUnknown()
}

// KnownAccount is the account of an object: the known one, else the one in use.
func (s *Session) KnownAccount(known types.String) types.String {
	if attribute.IsUnset(known) {
		return attribute.TextOrNull(s.account())
	}
	return known
}

// account is "" while the configuration is not known, or cannot be used.
func (s *Session) account() string {
	if s.Deferred() || s.Client == nil {
		return ""
	}
	return s.Client.Account()
}

// NoteAccount notes the account that an object is created, read or destroyed with.
func (s *Session) NoteAccount(ctx context.Context, private PrivateData) diag.Diagnostics {
	text, err := json.Marshal(s.account())
	if err != nil {
		return message.ProviderBug("an account cannot be written: %s", err)
	}
	return private.SetKey(ctx, privateAccount, text)
}

// RefuseOtherAccount is the error of an update or a destroy that was planned with another account. label names the
// object.
func (s *Session) RefuseOtherAccount(ctx context.Context, private PrivateState, label any) diag.Diagnostics {
	raw, diags := private.GetKey(ctx, privateAccount)
	var planned string
	_ = json.Unmarshal(raw, &planned) // "" where nothing was noted.
	account := s.account()
	if diags.HasError() || planned == "" || account == "" || planned == account {
		return diags
	}
	return say.Error(ctx, "account.other", text.With{"label": label, "planned": planned, "account": account})
}
