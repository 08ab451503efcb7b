// Package journal remembers what must happen exactly once, and the budget of
// requests that everybody with the same key shares.
//
// A request whose answer was lost may have been carried out. Looking it up at
// the service settles that only when the service's lists are current, and two
// processes that look up at the same time both find nothing. So whoever is
// about to send such a request opens an entry for it, which excludes everyone
// else until it is closed, and records in it that the request begins and, later,
// what came of it.
//
// [Files] keeps an entry in one small file in the folder "journal" of its
// directory, with a lock file beside it. File names are hashes. The content is a
// time, an id of the service and a short note: never a payload, never a key. Where
// the directory cannot be written, entries live in memory and exclude each other
// within this process only: see [Entry.Durable].
//
// A budget is a document of its owner's, in a file named by a hash of the key. It
// cannot be kept in memory here: whoever goes on without it has to bring together
// later what it and the others have spent.
package journal
