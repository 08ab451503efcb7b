package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// creationKey is the private data of an object that was created here and not refreshed
// since: it names the object's record in the journal.
const creationKey = "creation"

// ConfirmCreation tells the journal that a state holds the object.
func (s *Session) ConfirmCreation(ctx context.Context, state tfsdk.State, private PrivateData) diag.Diagnostics {
	if s.Deferred() || state.Raw.IsNull() {
		return nil
	}
	var id types.String
	note, diags := private.GetKey(ctx, creationKey)
	diags.Append(state.GetAttribute(ctx, path.Root("id"), &id)...)
	if diags.HasError() || len(note) == 0 {
		return diags // It was not created here, or was confirmed.
	}
	// An older version wrote notes that name no record.
	if key, ok := s.creationOf(note); ok && s.OnceByKey().Hold(ctx, key, id.ValueString()) != nil {
		return diags // The next refresh tries again.
	}
	return private.SetKey(ctx, creationKey, nil)
}

// LeaveToNextRun lets the next creation of the same object take it over, though a state has it:
// that state may be tainted, and the service may have no way to delete the object.
func (s *Session) LeaveToNextRun(ctx context.Context, private PrivateData) diag.Diagnostics {
	return private.SetKey(ctx, creationKey, nil)
}

// ForgetCreation tells the journal that an object which was created here is deleted again.
func (s *Session) ForgetCreation(ctx context.Context, private PrivateState) {
	note, _ := private.GetKey(ctx, creationKey)
	if key, ok := s.creationOf(note); ok {
		if t, err := s.OnceByKey().Load(ctx, key); err == nil {
			t.Keep(ctx, journal.Record{})
		}
	}
}

// creationOf is the record that the private data of an object names.
func (s *Session) creationOf(note []byte) (key journal.Key, ok bool) {
	var text, hash string
	var number int
	if json.Unmarshal(note, &text) != nil {
		return key, false
	}
	if _, err := fmt.Sscan(text, &hash, &number); err != nil {
		return key, false
	}
	return s.creationKey(hash, number), true
}

// MayLag reports whether an object that a list does not show may show later: it is new, no
// refresh has seen it, and the service seems to have no read by id.
func (s *Session) MayLag(ctx context.Context, private PrivateState, err error) bool {
	if !errors.Is(err, einvoice.ErrOnlyUnlisted) {
		return false
	}
	note, _ := private.GetKey(ctx, creationKey)
	key, ok := s.creationOf(note)
	if !ok {
		return false
	}
	t, err := s.OnceByKey().Load(ctx, key)
	return err == nil && t.Young()
}

// writtenKey is the private data of an object that was changed a moment ago: when.
const writtenKey = "written"

// NoteWrite notes that an object was changed now. A list may show it as before for a while.
func (s *Session) NoteWrite(ctx context.Context, private PrivateData) diag.Diagnostics {
	stamp, _ := json.Marshal(s.process().clock.Now()) // A time has a JSON form.
	return private.SetKey(ctx, writtenKey, stamp)
}

// forgetOldWrite drops the note of a write that every list shows by now. isRecent reports whether the note stays: a
// list may still show the object as it was before the write.
func (s *Session) forgetOldWrite(ctx context.Context, private PrivateData) (isRecent bool) {
	note, _ := private.GetKey(ctx, writtenKey)
	var at time.Time
	if len(note) == 0 || json.Unmarshal(note, &at) != nil {
		return false
	}
	if s.Once().IsYoung(at) {
		return true
	}
	_ = private.SetKey(ctx, writtenKey, nil) // The next refresh tries again.
	return false
}
