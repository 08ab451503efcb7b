// Package journal remembers, on this machine, what must happen exactly once.
//
// A request whose answer was lost may have been carried out. Looking it up at
// the service settles that only when the service's lists are current, and two
// processes that look up at the same time both find nothing. So whoever is
// about to send such a request opens an entry for it, which excludes everyone
// else on this machine until it is closed, and records in it that the request
// begins and, later, what came of it.
//
// An entry is one small file in the folder "journal" of the directory given to
// [Open], with a lock file beside it. File names are hashes. The content is a
// time, an id of the service and a short note: never a payload, never a key.
//
// Where the directory cannot be written, entries live in memory and exclude
// each other within this process only: see [Entry.Durable].
package journal
