package message

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

func TestShownAt_isWhatACLIFinds(t *testing.T) {
	t.Parallel()
	secret := path.Root("consumer_invoice").AtName("token_id")
	for name, test := range map[string]struct{ at, want path.Path }{
		"no attribute":        {path.Empty(), path.Empty()},
		"at the root":         {path.Root("name"), path.Root("name")},
		"in an object":        {path.Root("address").AtName("city").AtName("name"), path.Root("address")},
		"beside a secret":     {secret, secret},
		"an element":          {path.Root("items").AtListIndex(1), path.Root("items").AtListIndex(1)},
		"in an element":       {path.Root("items").AtListIndex(1).AtName("amount"), path.Root("items").AtListIndex(1)},
		"a key, as of a map":  {path.Root("keys").AtMapKey("a"), path.Root("keys").AtMapKey("a")},
		"in an object by key": {path.Root("keys").AtMapKey("a").AtName("b"), path.Root("keys").AtMapKey("a")},
	} {
		expect.True(t, ShownAt(test.at).Equal(test.want), "%s: got %s, want %s", name, ShownAt(test.at), test.want)
	}
}
