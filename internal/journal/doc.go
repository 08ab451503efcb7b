// Package journal keeps records of what must happen exactly once.
//
// A request whose answer was lost may have been processed, and a list of the service that lags does not show it. So
// whoever is about to send such a request swaps its record to [Sending] first. A swap names the version that it
// replaces: of two that begin at the same time one fails, and has sent nothing.
//
// Nothing is locked for longer than a swap takes, and no connection has to live. A killed or stopped process, a
// restarted database and a pooler are all the same: somebody who did not swap.
//
// [Files] keeps records on this machine, [Postgres] for many machines, [Memory] for this process. File names and keys
// are hashes. A record holds times, ids of the service, tax numbers of companies and hashes: never a payload, never a
// key.
package journal
