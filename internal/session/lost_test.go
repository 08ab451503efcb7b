package session_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

func TestAboutAnother_isALostAnswer(t *testing.T) {
	t.Parallel()
	err := session.AboutAnother("customer", "7")
	if !errors.Is(err, einvoice.ErrAmbiguous) || !strings.Contains(err.Error(), "another customer, 7") {
		t.Errorf("%v", err)
	}
}
