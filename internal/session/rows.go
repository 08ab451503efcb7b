package session

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// mostRows is how many bytes of a list a CLI takes at once, which is 64 MiB with
// all that is around it.
const mostRows = 64<<20 - 64<<10

// rowsPart is how much is collected before another part is begun.
const rowsPart = 1 << 20

// Rows are the entries of a long list, as the protocol sends them. The framework
// keeps each attribute of each entry several times over: 165 KB of an invoice that
// takes 1.5 KB in the protocol. So such a list goes past it, entry by entry, and is
// put into the answer at its place.
type Rows struct {
	at    string // the attribute
	count int
	size  int
	parts [][]byte
}

type rowsKey struct{}

// WithRows lets a data source put a list past the framework.
func WithRows(ctx context.Context) (context.Context, *Rows) {
	rows := &Rows{}
	return context.WithValue(ctx, rowsKey{}, rows), rows
}

// rowAdder begins the list of an attribute, which stays empty in state. The
// function that it returns adds an entry.
func rowAdder(ctx context.Context, state tfsdk.State, at string) (add func(entry any) diag.Diagnostics, diags diag.Diagnostics) {
	rows, _ := ctx.Value(rowsKey{}).(*Rows)
	t, diags := state.Schema.TypeAtPath(ctx, path.Root(at).AtListIndex(0))
	if diags.HasError() {
		return nil, diags
	}
	of, ok := t.(attr.TypeWithAttributeTypes)
	if rows == nil || !ok {
		return nil, diag.Diagnostics{message.ProviderBug("no place for the list %s", at)}
	}
	rows.at = at
	wire := of.TerraformType(ctx)
	return func(entry any) diag.Diagnostics {
		object, diags := types.ObjectValueFrom(ctx, of.AttributeTypes(), entry)
		if diags.HasError() {
			return diags
		}
		value, err := object.ToTerraformValue(ctx)
		if err != nil {
			return diag.Diagnostics{message.ProviderBug("an entry of %s: %s", at, err)}
		}
		packed, err := tfprotov6.NewDynamicValue(wire, value)
		if err != nil {
			return diag.Diagnostics{message.ProviderBug("an entry of %s: %s", at, err)}
		}
		if rows.size+len(packed.MsgPack) > mostRows {
			return message.Error("The list is too long", fmt.Sprintf("Its first %d entries take %d MiB, and a CLI takes no more from a provider at once. "+
				"Narrow the list with filters, or lower `limit`.", rows.count, rows.size>>20))
		}
		rows.add(packed.MsgPack)
		return nil
	}, nil
}

func (r *Rows) add(row []byte) {
	last := len(r.parts) - 1
	if last < 0 || len(r.parts[last])+len(row) > cap(r.parts[last]) {
		r.parts = append(r.parts, make([]byte, 0, max(rowsPart, len(row))))
		last++
	}
	r.parts[last] = append(r.parts[last], row...)
	r.count++
	r.size += len(row)
}

// Into puts the list into the answer of the framework.
func (r *Rows) Into(state *tfprotov6.DynamicValue) error {
	if r.at == "" || state == nil || len(state.MsgPack) == 0 {
		return nil
	}
	d := msgpack.NewDecoder(bytes.NewReader(state.MsgPack))
	members, err := d.DecodeMapLen()
	if err != nil || members < 0 {
		return err
	}
	var out bytes.Buffer
	out.Grow(len(state.MsgPack) + r.size)
	e := msgpack.NewEncoder(&out)
	if err := e.EncodeMapLen(members); err != nil {
		return err
	}
	for range members {
		name, err := d.DecodeString()
		if err != nil {
			return err
		}
		value, err := d.DecodeRaw()
		if err != nil {
			return err
		}
		if err := e.EncodeString(name); err != nil {
			return err
		}
		if name != r.at {
			out.Write(value)
			continue
		}
		if err := e.EncodeArrayLen(r.count); err != nil {
			return err
		}
		for i, part := range r.parts {
			out.Write(part)
			r.parts[i] = nil
		}
	}
	state.MsgPack = out.Bytes()
	return nil
}

// StreamRows reads the first entries of a list that match into the attribute
// at, and warns where the list goes on behind them.
func StreamRows[T any](ctx context.Context, state tfsdk.State, at, task string, list iter.Seq2[*T, error], matches func(*T) bool, limit int64, row func(*T) any) diag.Diagnostics {
	add, diags := rowAdder(ctx, state, at)
	if diags.HasError() {
		return diags
	}
	more, err := einvoice.Each(list, matches, limit, func(v *T) bool {
		diags = add(row(v))
		return !diags.HasError()
	})
	switch {
	case err != nil:
		return message.APIError(ctx, task, err, nil)
	case more:
		return diag.Diagnostics{attribute.CutAtLimit(at, limit)}
	}
	return diags
}
