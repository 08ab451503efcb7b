package message

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// The environment variables that stand in for arguments.
const (
	EnvBaseURL           = "EINVOICE_BASE_URL"
	EnvAPIKey            = "EINVOICE_API_KEY"
	EnvRequestsPerMinute = "EINVOICE_REQUESTS_PER_MINUTE"
	EnvRequestsPerSecond = "EINVOICE_REQUESTS_PER_SECOND"
	EnvCacheDir          = "EINVOICE_CACHE_DIR"
	EnvCoordinationURL   = "EINVOICE_COORDINATION_URL"
	EnvEnvironments      = "EINVOICE_ENVIRONMENTS"
)

// Errors of a provider block.
const (
	MissingBaseURL = "The address of the service is neither configured nor in the environment. Set `base_url` in the " +
		"provider block, or " + EnvBaseURL + ", for example https://host.example/v1. " +
		"To try the provider without an account, run its sandbox and use the address that it prints."

	EmptyAPIKey = "`api_key` of the provider configuration of this object is an empty string, " + importedKey +
		"and " + EnvAPIKey + " is not used in its place, because it may be another company's key. " +
		"Give the key, for example `api_key = " + branchKey

	MissingAPIKey = "The API key is neither configured nor in the environment. Set `api_key` in the provider block, " +
		"or " + EnvAPIKey + ". The service shows the key of a company only once, in the response to its " +
		"creation. A new one can be generated in the back office."
)

const (
	importedKey = "such as the one of an imported company: the service shows a key only in the response to the " +
		"creation. Nothing was sent, "
	branchKey = "coalesce(var.branch_key, einvoice_company.branch.api_key)`; " +
		"a new one can be generated in the back office."
)

// EmptyCompanyKey says what to do about an empty entry of company_keys.
func EmptyCompanyKey(number string) string {
	return "`company_keys` of the provider configuration has an empty key, or null, for the company " + number + ", " +
		importedKey + "and `api_key` is not used in its place. Give the key, for example `" + branchKey
}

// UnknownConfiguration says what to do while the named arguments of the provider block are
// not known.
func UnknownConfiguration(names string) string {
	return fmt.Sprintf("The provider configuration of this object is not known yet (%s): "+
		"it probably comes from a company that this run creates or replaces. "+
		"For a data source add `depends_on = [einvoice_company.NAME]`, so that it is read during apply. "+
		"For an existing object apply the company first: `-target=einvoice_company.NAME`.", names)
}

// CoordinationUnavailable says what a run does while the coordination database fails.
func CoordinationUnavailable(err error) string {
	return Paragraphs("Using it failed: "+Reason(err)+" Nothing is issued, ordered, corrected, declared or rotated "+
		"until it can be used. Other requests continue, and only this machine's requests count for the limit.",
		"Check `coordination_url` and the database.")
}

// Unrecorded is the error of what must happen once and was not sent: the journal could not record it, or an interrupt
// came first.
func Unrecorded(label string, err error, again string) diag.Diagnostics {
	const record = "What must happen only once is recorded before it is sent, and that failed: "
	down, isDown := errors.AsType[*journal.UnavailableError](err)
	switch {
	case isDown: // Without the name of the row.
		return Error("Coordination database cannot be used: "+label, record+Reason(down)+" Nothing was sent.",
			"Check `coordination_url` and the database. "+again+".")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Error("Interrupted before it was sent: "+label, "Nothing was sent: "+Reason(err),
			"Another run may be sending it. "+again+" after that run has ended.")
	}
	return Error("Journal cannot be used: "+label, record+Reason(err)+" Nothing was sent.",
		"Make the journal writable, or set "+EnvCacheDir+" to another directory that lasts. "+again+".")
}

// JournalInMemory says what is at stake while this machine has no directory for the journal.
func JournalInMemory(err error) string {
	return "The provider cannot use the directory of its journal: " + Reason(err) + " It keeps the journal in memory " +
		"until this run ends. If a run is killed, or two runs happen at once, an invoice may be issued twice. Set " +
		EnvCacheDir + " to a lasting directory of the user who runs this, where nobody else may write."
}
