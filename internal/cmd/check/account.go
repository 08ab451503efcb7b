package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

const mostCompanies = 10 // are looked at for the one of the key, if the list shows no keys

var issuedModels = []string{"service", "product", "consumer"}

// isTest reports whether nothing that is issued in an environment counts.
func isTest(environment string) bool {
	return environment == "development" || environment == "simulation"
}

func keyOf(company object) string { return company.part("apiCredentials").text("apiKey") }

// askCompanies finds the company of the key: the one whose masked key begins as this one, or the only one.
func askCompanies(ctx context.Context, r *run, _ *thing, _ string) (answer, bool) {
	a := r.ask(ctx, request{operation: "list_companies", query: firstPage()})
	var proven, possible []string
	for i, company := range a.items() {
		key := keyOf(company)
		if key == "" && len(a.items()) > 1 && i < mostCompanies { // A read by id may show it.
			key = keyOf(r.look(ctx, request{operation: "get_company", ids: []string{company.text("id")}}).object())
		}
		switch isSame, isTold := beginsAs(key, r.key); {
		case isSame && isTold:
			proven = append(proven, company.text("id"))
		case !isTold:
			possible = append(possible, company.text("id"))
		}
	}
	switch {
	case r.companyID != "":
	case len(proven) == 1:
		r.companyID = proven[0]
	case len(a.items()) == 1 && len(possible) == 1:
		r.companyID = possible[0]
	case r.unreadable["list_companies"]:
		r.breaks("lists_have_items", "company_hidden", nil)
	}
	return a, true
}

// beginsAs reports whether a key as the service shows it begins as the key of this run. isTold is false if nothing of
// it is visible: a mask in brackets or of one repeated character shows nothing, and dots at the end hide the rest.
func beginsAs(shown, key string) (isSame, isTold bool) {
	visible := strings.TrimRight(shown, ".")
	if at := strings.IndexAny(visible, "*•●＊…"); at >= 0 {
		visible = visible[:at]
	} else if visible == shown && einvoice.IsMasked(shown) {
		return false, false
	}
	return strings.HasPrefix(key, visible), visible != ""
}

// seeFields says which fields an object shows. One that is left out may be unset, unless others that are unset are
// null. A company whose key is another one is not that of this run, whoever named it. Settings have the environments.
func seeFields(_ context.Context, r *run, _ *thing, argument string) (answer, bool) {
	names := strings.Fields(argument)
	a, id, names := r.answers[names[0]], strings.TrimPrefix(names[0], "get_")+"_fields", names[1:]
	if isSame, isTold := beginsAs(keyOf(a.object()), r.key); isTold && !isSame {
		r.companyID = ""
	}
	for _, model := range issuedModels {
		block := a.object().part(model + "Invoice")
		if environment := strings.ToLower(block.text("environmentType")); block != nil {
			r.environments[model] = environment
			if environment == "production" && !r.readOnly {
				r.production = append(r.production, model)
			}
		}
	}
	var null, absent []string
	for _, name := range names {
		switch shown := a.object().member(name); {
		case shown == "":
			absent = append(absent, name)
		case isEmpty(decoded([]byte(shown))):
			null = append(null, name)
		}
	}
	switch unset := slices.Concat(null, absent); {
	case len(absent) > 0 && len(null) > 0:
		r.copes(id, "fields_absent", with{"names": absent})
	case len(unset) == 0:
		r.fits(id, "fields_all", nil)
	case len(unset) < len(names):
		r.fits(id, "fields_unset", with{"names": unset})
	default:
		r.unclear(id, words("fields_none", nil))
	}
	return a, true
}

// putSettings puts the block general back as it was read, in which no number changes by itself, looks at what that does
// to the others, and puts those back. It writes nothing if that could cost a secret.
func putSettings(ctx context.Context, r *run, _ *thing, _ string) (answer, bool) {
	const id, written = "settings_put_keeps_other_blocks", "general"
	ctx = context.WithoutCancel(ctx) // An interruption must not keep the settings from being put back.
	read := func() object { return r.look(ctx, r.about(request{operation: "get_settings"}, nil)).object() }
	before := read()
	if secret := secretAtRisk(before); secret != "" || before.part(written) == nil {
		r.unclear(id, words("secret_at_risk", with{"word": secret}))
		return answer{}, true
	}
	a := r.ask(ctx, r.about(request{operation: "update_settings", body: object{written: before[written]}}, nil))
	if !a.ok() && !a.isAmbiguous() {
		return a, true
	}
	after, touched, isTold := read(), object{}, false
	for _, name := range []string{"general", "productInvoice", "consumerInvoice", "serviceInvoice"} {
		switch lost := lostOf(before.part(name), after.part(name)); {
		case len(lost) == 0:
			isTold = isTold || name != written && tellsReset(before.part(name))
			continue
		case name == written:
			r.breaks("update_keeps_unknown_fields", "block_lost", with{"block": name, "names": lost})
		default:
			r.breaks(id, "block_lost", with{"block": name, "names": lost})
		}
		touched[written], touched[name] = before[written], before[name]
	}
	if isTold && a.ok() {
		r.fits(id, "blocks_kept", nil)
	} else {
		r.unclear(id, words("blocks_default", nil))
	}
	if len(touched) > 0 {
		r.look(ctx, r.about(request{operation: "update_settings", body: touched}, nil))
		after = read()
	}
	for _, name := range slices.Sorted(maps.Keys(touched)) {
		if lost := lostOf(before.part(name), after.part(name)); len(lost) > 0 {
			r.changed = append(r.changed, name+": "+strings.Join(lost, ", "))
		}
	}
	return a, true
}

// lostOf are the fields of a block that have another value than before. Stamps and the next numbers move by themselves.
func lostOf(before, after object) []string {
	_, moved, lost := compared(before, after)
	return append(lost, slices.DeleteFunc(moved, func(name string) bool {
		return strings.HasPrefix(name, "next") || movesByItself(name, before[name])
	})...)
}

// tellsReset reports whether a block holds a value that is no default, so that a reset would show.
func tellsReset(block object) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(block)), func(value any) bool {
		return !isUnset(value) && value != "default" && value != "normal"
	})
}

// secretAtRisk is a secret that may be set, "" for none: a write that resets its block would lose it, and the service
// may show it masked, cut or as null. A null one is unset if the field beside it is empty too.
func secretAtRisk(blocks object) string {
	responsible := blocks.part("general").part("technicalResponsible")
	codes, shown := responsible["csrts"].([]any)
	consumer, service := blocks.part("consumerInvoice"), blocks.part("serviceInvoice")
	switch {
	case !isEmpty(map[string]any(responsible)) && (!shown || len(codes) > 0):
		return "csrts"
	case !isEmpty(consumer["csc"]) || !isEmpty(consumer["tokenId"]):
		return "csc"
	case !isEmpty(service["password"]) || !isEmpty(service["userName"]):
		return "password"
	}
	return ""
}
