// Package session has what the configured provider hands to its resources, data sources,
// actions and lists: clients by company, the journal, and whether the configuration is known
// and usable. It also has the parts that they embed and share: their configuration, lines
// of progress, the reading of lists, and the creation of objects with a name.
package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// Session is what one provider configuration hands to its resources.
type Session struct {
	Client *einvoice.Client // nil while unknown is not empty
	Store  journal.Store    // has the records of what must happen once

	RequestTimeout time.Duration // of one exchange

	Unknown    []string // provider arguments that are not known yet
	EmptyKey   bool     // api_key is configured and empty
	MissingKey bool     // api_key is neither configured nor in the environment

	Keys        map[string]CompanyKey // company_keys, by normalized tax number; nil where it is not configured
	KeysUnknown bool                  // company_keys as a whole is not known yet

	Planned *Plan // what this plan does elsewhere; nil remembers nothing

	Environments *Environments // where invoices may be issued; nil for anywhere

	PlanLookup bool // a plan looks new invoices and orders up at the service

	Issuer  string           // the company that is to act, where a configuration names one: see As
	Account *einvoice.Client // the client of api_key, beside an issuer; nil for none

	seen map[string]bool // the companies whose invoices a data source has read; nil for no data source

	argument string // names the company: see As
	unnamed  bool   // the argument is not set
	chosen   string // the company whose entry of company_keys is used; "" for api_key

	of *process // of tests, instead of this one
}

// Once makes a thing happen once whose name no other account uses.
func (s *Session) Once() *once.Journal {
	p := s.process()
	return &once.Journal{Store: s.Store, Clock: p.clock, Patience: s.Patience(), Run: p.run}
}

func (s *Session) process() *process {
	if s.of != nil {
		return s.of
	}
	return thisProcess()
}

// Deferred reports whether the configuration is not known yet: the company whose key it uses
// is about to be created or replaced. Reads of existing objects then keep the prior state.
func (s *Session) Deferred() bool {
	return s == nil || len(s.Unknown) > 0
}

// Usable returns the error of a configuration with which nothing can be sent.
func (s *Session) Usable(ctx context.Context) diag.Diagnostics {
	switch {
	case s == nil:
		return say.Error(ctx, "config.unknown", text.With{"names": []string{"api_key"}})
	case s.Deferred():
		return say.Error(ctx, "config.unknown", text.With{"names": s.Unknown})
	case s.EmptyKey && s.chosen != "":
		return say.ErrorAt(ctx, path.Root(s.argument), "config.empty_company_key", text.With{"company": s.chosen})
	case s.EmptyKey:
		return say.Error(ctx, "config.empty_key", nil)
	case s.MissingKey:
		return say.Error(ctx, "config.missing_key", nil)
	}
	return nil
}

// MayRead reports whether a refresh may read the service. While the configuration is not known
// yet, the state stays as it is. A configuration with which nothing can be sent is an error.
func (s *Session) MayRead(ctx context.Context, diags *diag.Diagnostics) bool {
	if s.Deferred() {
		return false
	}
	diags.Append(s.Usable(ctx)...)
	return !diags.HasError()
}

// IsCompanyGone reports whether what belongs to a company was not found because the company is gone: it always exists
// as long as that does. The error is why it could not be read otherwise.
func (s *Session) IsCompanyGone(ctx context.Context, id string, err error) (bool, error) {
	if !errors.Is(err, einvoice.ErrNotFound) {
		return false, err
	}
	_, companyErr := s.Client.Company(ctx, id)
	if errors.Is(companyErr, einvoice.ErrMissing) {
		err = companyErr
	}
	return errors.Is(companyErr, einvoice.ErrNotFound), err
}

// Patience is how long to look for the effect of a request whose answer was lost.
func (s *Session) Patience() time.Duration { return einvoice.Patience(s.RequestTimeout) }

// ResourceBase carries the session into a resource.
type ResourceBase struct{ *Session }

func (b *ResourceBase) Configure(ctx context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	b.Session = From(ctx, req.ProviderData, &resp.Diagnostics)
}

// ConfigValidators are those of every resource.
func (*ResourceBase) ConfigValidators(context.Context) []resource.ConfigValidator {
	return []resource.ConfigValidator{attribute.EmptyObjects{}}
}

// RefuseUnusableKey fails the plan of a new object whose key is known to be empty or missing.
func (s *Session) RefuseUnusableKey(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	if !s.Deferred() && req.State.Raw.IsNull() && !req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(s.Usable(ctx)...)
	}
}

// LooksAhead reports whether a plan is to look new objects up at the service, and can.
func (s *Session) LooksAhead() bool { return !s.Deferred() && s.PlanLookup && s.Client != nil }

// Reading is Acting for a data source that notes whose invoices it sees.
func (s *Session) Reading(ctx context.Context, config tfsdk.Config) (*Session, diag.Diagnostics) {
	acting, diags := s.Acting(ctx, config)
	if acting != nil && acting.Issuer != "" {
		reading := *acting
		reading.seen = map[string]bool{}
		acting = &reading
	}
	return acting, diags
}

// Saw notes whose invoice a data source has read. That is no proof of whose key it is: see RefuseOther.
func (s *Session) Saw(v *einvoice.Invoice) {
	if s.seen != nil && v.Company != nil && v.Company.FederalTaxNumber != "" {
		s.seen[string(v.Company.FederalTaxNumber)] = true
	}
}

// seenCompany is the company whose invoices alone a data source has read, "" for none or several.
func (s *Session) seenCompany() (number string) {
	if len(s.seen) == 1 {
		for number = range s.seen {
		}
	}
	return number
}

// From is the session in the provider data. It is nil while the provider is not configured:
// Configure also runs then.
func From(ctx context.Context, providerData any, diags *diag.Diagnostics) *Session {
	if providerData == nil {
		return nil
	}
	s, ok := providerData.(*Session)
	if !ok {
		diags.Append(message.ProviderBug("unexpected provider data %T", providerData)...)
	}
	return s
}

// CacheDir has the shared rate file and the journal; "" where this machine has no place for
// them.
func CacheDir() string {
	if dir := os.Getenv(message.EnvCacheDir); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "terraform-provider-einvoice")
}

// PrivateState is the private data of a resource, whose type the framework does not export.
type PrivateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// PrivateData is the private data of a resource, as it is read and written.
type PrivateData interface {
	PrivateState
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// process is this process, as others tell it from theirs.
type process struct {
	clock poll.Clock
	// run names the run of the CLI, the parent of all its providers: equal blocks of one run
	// are different objects. Process numbers repeat, and are 1 in each container, so that
	// the start of the parent and the machine belong to the name.
	run string
	// claimed has the objects that this process has created, adopted or deleted: no creation adopts them. A list that
	// lags still shows deleted ones.
	claimed sync.Map
}

var thisProcess = sync.OnceValue(func() *process {
	return &process{clock: poll.RealTime, run: thisRun()}
})

// shortHash is how much of a hash names a run, 96 bits.
const shortHash = 24

func thisRun() string {
	host, _ := os.Hostname()
	return attribute.HashOfText(fmt.Sprint(host, " ", os.Getppid(), " ", parentStart(os.Getppid())))[:shortHash]
}

// SharedInRun is what the provider blocks of this run share about a service.
func SharedInRun(cacheDir, baseURL string) *journal.Shared {
	name := attribute.HashOfText(thisProcess().run + " " + strings.TrimRight(baseURL, "/"))
	return journal.OpenFiles(cacheDir).Shared(name[:shortHash])
}

// parentStart tells processes with equal numbers apart by the machine's boot, the container
// and the start of the process, which Linux shows; "" on other systems.
func parentStart(pid int) string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	container, _ := os.Readlink("/proc/self/ns/pid")
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	const startTime = 19 // of the fields after the name, which may hold spaces
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) <= startTime {
		return ""
	}
	return strings.TrimSpace(string(boot)) + container + fields[startTime]
}
