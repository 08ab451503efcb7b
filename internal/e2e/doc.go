// Package e2e holds the tests that cross nouns: the fault matrix, the examples
// and guides, the release, interruptions, and state of older versions.
package e2e
