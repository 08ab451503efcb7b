package main

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// calls are the questions that are more than a request. Each reports whether it is done, or to be asked again.
var calls = map[string]func(context.Context, *run, *thing, string) (answer, bool){
	"unknown": askUnknown, "companies": askCompanies, "secret": askSecret, "too_long": askTooLong,
	"fields": seeFields, "environments": seeEnvironments, "settings_put": putSettings,
	"create": askCreate, "twice": askTwice, "reread": askReread, "known": askKnown, "stored": seeStored, "lag": askLag,
	"update": askUpdate, "remove": askRemove,
	"begin": begin, "follow": follow, "post_again": postAgain, "issue": issue, "cancel": cancel, "canceled": seeCanceled,
}

func askCreate(ctx context.Context, r *run, _ *thing, label string) (answer, bool) {
	return r.create(ctx, label, r.kinds[label].Body), true
}

func askReread(ctx context.Context, r *run, t *thing, _ string) (answer, bool) {
	return r.reread(ctx, t), true
}

func askKnown(_ context.Context, _ *run, t *thing, _ string) (answer, bool) {
	return answer{Response: einvoice.Response{Body: encoded(t.read)}}, true
}

// seeStored compares what is read with what was sent.
func seeStored(ctx context.Context, r *run, t *thing, _ string) (answer, bool) {
	a := r.reread(ctx, t)
	if !a.ok() {
		return a, t.listed || !r.canRead(t.entry())
	}
	var lacks, otherwise []string
	for _, name := range slices.Sorted(maps.Keys(t.Body)) {
		switch {
		case isEmpty(t.read[name]):
			lacks = append(lacks, name)
		case !same(decoded(encoded(t.Body[name])), t.read[name]):
			otherwise = append(otherwise, name)
		}
	}
	switch {
	case len(otherwise) > 0:
		r.copes("values_are_kept", "stored_otherwise", with{"on": t.label, "names": otherwise})
	case len(lacks) > 0:
		r.copes("values_are_kept", "fields_absent", with{"names": lacks})
	default:
		r.fits("values_are_kept", "stored", with{"on": t.label})
	}
	if t.label == "webhook" && t.read["enabled"] == nil {
		lacks = append(lacks, "enabled")
	}
	if len(lacks) > 0 {
		r.copes(t.label+"_fields", "fields_absent", with{"names": lacks})
	} else {
		r.fits(t.label+"_fields", "fields_all", nil)
	}
	return a, true
}

// askLag looks for a new object in its list until it shows.
func askLag(ctx context.Context, r *run, t *thing, _ string) (answer, bool) {
	items, _ := r.walk(ctx, t, t.Body)
	found, took, entry := t.among(items), r.clock.Now().Sub(t.since).Round(time.Second), t.entry()
	seen := with{"on": t.label, "list": entry, "took": took, "over": found == nil}
	switch {
	case !r.canRead(entry) && r.operations[entry] != nil:
		return answer{}, true
	case found == nil && took <= lagPatience:
		t.late = true
		return answer{}, false
	case found == nil && t.Noun == "invoice":
		if all, _ := r.walk(ctx, t, nil); t.among(all) != nil {
			r.breaks("integration_id_filter", "filter_misses", seen)
			return answer{}, true
		}
	}
	t.listed = true // Or it was looked for long enough.
	r.measure("lag", words("lag_of", seen))
	switch late := took > lagUsual && t.late; { // A late first look proves no lag.
	case found == nil || late && took > lagAllowed:
		r.breaks("lists_lag_briefly", "lag", seen)
	case late:
		r.copes("lists_lag_briefly", "lag", seen)
	case took <= lagUsual:
		r.fits("lists_lag_briefly", "lag", seen)
	}
	if found != nil && found.text("id") != t.id {
		r.fits("ids_ignore_case", "id_case", nil)
	}
	if found != nil && t.Noun == "invoice" && found["integrationId"] == nil {
		r.breaks("integration_id_filter", "name_absent", seen)
	} else if found != nil && t.Noun == "invoice" {
		r.fits("integration_id_filter", "filter_finds", seen)
	}
	return answer{}, true
}

// askUpdate sends back what was read, without one member and with another value of another one, and reads it again.
func askUpdate(ctx context.Context, r *run, t *thing, _ string) (answer, bool) {
	const id = "update_merges_or_replaces"
	before, seen := t.read, with{"on": t.label, "word": t.LeftOut}
	body := without(before, t.LeftOut)
	maps.Copy(body, t.Change)
	a := r.ask(ctx, r.about(request{operation: "update_" + t.Noun, body: body}, t))
	if a.isRefusal() && t.LeftOut != "" {
		r.operations[a.entry()].Verdict = answers
		r.copes(id, "update_refused", seen)
	}
	if !a.ok() || !r.reread(ctx, t).ok() {
		return a, true
	}
	if !strings.EqualFold(t.read.text(t.Member), t.Change.text(t.Member)) {
		if r.verdictOn("get_"+t.Noun) == answers { // A list may lag.
			r.breaks(id, "update_nothing", seen)
		}
		return a, true
	}
	kept, moved, lost := compared(without(before, strings.Fields(t.Documented)...), t.read)
	if len(lost) > 0 {
		r.breaks("update_keeps_unknown_fields", "unknown_lost", with{"on": t.label, "names": lost})
	} else if len(kept)+len(moved) > 0 {
		r.fits("update_keeps_unknown_fields", "unknown_kept", with{"on": t.label, "kept": kept, "moved": moved})
	}
	switch was, is := before[t.LeftOut], t.read[t.LeftOut]; {
	case isEmpty(was): // Nothing was left out.
	case isEmpty(is):
		r.fits(id, "update_replaces", seen)
	case same(was, is):
		r.fits(id, "update_merges", seen)
	default:
		r.breaks(id, "update_other", seen)
	}
	return a, true
}

// askRemove removes an object while its list is known, and looks whether that is true.
func askRemove(ctx context.Context, r *run, t *thing, _ string) (answer, bool) {
	t.gone = r.remove(ctx, t)
	switch a := r.answers["delete_"+t.Noun]; {
	case !a.ok() || slices.Contains(r.lingering, t.String()):
	case t.gone:
		r.fits("success_false_is_a_refusal", "deleted", nil)
	default:
		r.breaks("success_false_is_a_refusal", "undeleted", with{"on": t.label})
	}
	return answer{}, true
}

// askTwice makes an object once more, and a second one with the same key.
func askTwice(ctx context.Context, r *run, _ *thing, label string) (answer, bool) {
	body := r.kinds[label].Body
	if first := r.create(ctx, label, body); !first.ok() {
		return answer{}, true
	}
	known := len(r.made)
	switch a := r.create(ctx, label, body); {
	case a.isRefusal():
		r.copes("keys_may_repeat", "twice_refused", with{"on": label, "status": a.Status})
	case !a.ok() || a.object().text("id") == "":
	case len(r.made) == known:
		r.breaks("keys_may_repeat", "twice_first", with{"on": label})
	default:
		r.fits("keys_may_repeat", "twice_made", with{"on": label})
	}
	return answer{}, true
}

// askTooLong sends a name that the interface does not allow.
func askTooLong(ctx context.Context, r *run, _ *thing, _ string) (answer, bool) {
	a := r.look(ctx, request{operation: "create_customer", body: object{"name": r.name + strings.Repeat("x", 81)}})
	if a.object().text("id") != "" {
		r.keep(&thing{kind: r.kinds["customer"], label: "customer"}, a.object())
	}
	return a, true
}

// askSecret reads the webhook secret, and then as the provider does.
func askSecret(ctx context.Context, r *run, _ *thing, _ string) (answer, bool) {
	a := r.ask(ctx, request{operation: "get_webhook_secret"})
	if !a.ok() {
		return a, true
	}
	_, err := r.client.WebhookSecret(ctx)
	r.requests++
	failure := (*einvoice.Error)(nil)
	switch {
	case err == nil:
		r.fits("secret_form", "secret_read", nil)
	case errors.Is(err, einvoice.ErrMasked):
		r.breaks("secret_form", "secret_masked", nil)
	case errors.As(err, &failure) && failure.Status == http.StatusOK:
		r.breaks("secret_form", "secret_none", nil)
	}
	return a, true
}
