package sandbox

import (
	"context"
	"regexp"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

const purposeReturn = "devolution"

// keyShape is the access key of an NF-e or NFC-e, whose issuer may have letters.
var keyShape = regexp.MustCompile(`^[0-9]{6}[A-Z0-9]{12}[0-9]{26}$`)

// checkReturn refuses a return whose items do not name their original documents, or that names documents as a whole
// (specification, Versioning). The name of the field of an item is reported. That a breach is a 400 is assumed.
func (f *fields) checkReturn() {
	for _, found := range fiscal.CheckPayload(modelProduct.name, f.in, f.c.s.clock.Now().Format(time.RFC3339), "") {
		if found.Code == fiscal.RuleReturnOrigin {
			f.fail(found.Path, "%s", found.Message.In(context.Background()))
		}
	}
}
