package einvoice

import (
	"errors"
	"strconv"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestSetWebhookEnabled_namesTheOperationThatIsMissing(t *testing.T) {
	t.Parallel()
	for _, status := range []int{404, 405, 501} {
		for name, enabled := range map[string]bool{"enable_webhook": true, "disable_webhook": false} {
			t.Run(name+" "+strconv.Itoa(status), func(t *testing.T) {
				t.Parallel()
				s := sandbox.Start(t, sandbox.Options{})
				id := s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.authorized", "url": "https://example.com/"})
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "PUT", Path: standardOperations[name].Path, Status: status})
				c := mustClient(t, Config{BaseURL: s.BaseURL(), APIKey: s.OwnerKey()})
				_, err := c.SetWebhookEnabled(t.Context(), id, enabled)
				if failure := (*Error)(nil); !errors.Is(err, ErrMissing) || !errors.As(err, &failure) || failure.Missing != name {
					t.Errorf("it ends with %v, want one that names %s", err, name)
				}
			})
		}
	}
}
