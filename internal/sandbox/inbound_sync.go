package sandbox

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// The values of lastAttemptOutcome that decide what the sandbox does; a script may name the others too.
const (
	syncNeverAttempted     = "neverAttempted"
	syncSynchronized       = "synchronized"
	syncUpToDate           = "upToDate"
	syncCertificateMissing = "certificateMissingOrExpired"
	syncApplyFailure       = "documentApplyFailure"
)

// syncStatus is the stored state of a company's search, in its read shape. Missing dates are null: the specification
// calls them blank.
func (s *Server) syncStatus(companyID string) object {
	status := s.book.sync[companyID]
	if status == nil {
		status = object{
			"lastNsu": 0, "lastSyncAt": nil, "nextAllowedSyncAt": nil, "lastAttemptOutcome": syncNeverAttempted,
			"lastAttemptMessage": nil, "lastAttemptAt": nil,
		}
		s.book.sync[companyID] = status
	}
	return status
}

// readSyncStatus follows the specification, Endpoints.
func (s *Server) readSyncStatus(c *call) (any, error) {
	return wired(s.syncStatus(c.companyID())), nil
}

// syncInbound follows the specification, Rules per endpoint: it only confirms, and a minimum interval applies. The
// 400 for a company that has not enabled the feature is assumed.
func (s *Server) syncInbound(c *call) (any, error) {
	id, now := c.companyID(), s.clock.Now()
	if !truth(part(s.settingsBlock(id, modelProduct.name), "inbound"), "enabled") {
		return nil, invalid("", "Inbound invoices are not enabled for this company.")
	}
	status := s.syncStatus(id)
	if next, ok := parseMoment(text(status, "nextAllowedSyncAt")); ok && now.Before(next) {
		seconds := int((next.Sub(now) + time.Second - 1) / time.Second)
		return nil, &refusal{
			status: http.StatusTooManyRequests,
			header: http.Header{"Retry-After": {strconv.Itoa(seconds)}},
			body: object{
				"message":           "The minimum interval between inbound syncs has not passed.",
				"retryAfterSeconds": seconds, "nextAllowedSyncAt": status["nextAllowedSyncAt"],
			},
		}
	}
	status["nextAllowedSyncAt"] = local(now.Add(s.opts.SyncInterval))
	s.after(s.opts.AuthorizeAfter, func() { s.attemptSync(id) })
	return "OK", nil
}

// attemptSync is one search at the authority.
func (s *Server) attemptSync(companyID string) {
	now := s.clock.Now()
	status := s.syncStatus(companyID)
	status["lastAttemptAt"], status["lastAttemptMessage"] = local(now), nil
	_, certified := s.find(KindCertificates, func(doc object) bool {
		until, _ := parseMoment(text(doc, "expirationAt"))
		return ofCompany(companyID)(doc) && truth(doc, "isActive") && until.After(now)
	})
	scripted, failing := "", -1
	if next := s.book.searches[companyID]; len(next) > 0 {
		scripted, s.book.searches[companyID] = next[0], next[1:]
		status["lastAttemptMessage"] = orNull(syncOutcomes[scripted])
	}
	here := func(doc object) bool { return text(doc, "_company") == companyID }
	switch {
	case scripted == "" && !certified:
		scripted = syncCertificateMissing
	case scripted == syncSynchronized && !slices.ContainsFunc(s.book.undetected, here):
		s.book.undetected = append(s.book.undetected, object{"_company": companyID})
	case scripted == syncApplyFailure:
		for i, doc := range s.book.undetected { // The last one cannot be read.
			if here(doc) {
				failing = i
			}
		}
	}
	if !slices.Contains([]string{"", syncSynchronized, syncUpToDate, syncApplyFailure}, scripted) {
		status["lastAttemptOutcome"] = scripted
		return
	}
	status["lastAttemptOutcome"] = syncUpToDate
	// Reported: only what was issued after the setting's date is imported.
	start, _ := parseMoment(text(part(s.settingsBlock(companyID, modelProduct.name), "inbound"), "startDate"))
	var others []object
	for i, doc := range s.book.undetected {
		if !here(doc) || i == failing || scripted == syncUpToDate {
			others = append(others, doc)
			continue
		}
		s.completeInbound(doc)
		if issued, _ := parseMoment(text(doc, "issuedOn")); issued.Before(start) {
			continue
		}
		found := s.insert(KindInbound, doc)
		status["lastAttemptOutcome"], status["lastNsu"] = syncSynchronized, found["nsu"]
		s.emit(EventInboundDetected, found)
	}
	s.book.undetected = others
	if scripted == syncApplyFailure {
		status["lastAttemptOutcome"] = scripted
		return
	}
	status["lastSyncAt"] = local(now)
}

// SetSyncStatus sets fields of a company's sync status, as its search would leave them: lastNsu, lastSyncAt,
// nextAllowedSyncAt, lastAttemptOutcome, lastAttemptMessage and lastAttemptAt. Other fields stay.
func (s *Server) SetSyncStatus(companyID string, changes map[string]any) {
	s.locked(func() { maps.Copy(s.syncStatus(companyID), wired(changes)) })
}
