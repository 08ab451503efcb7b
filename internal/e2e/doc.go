// Package e2e holds the tests that cross nouns: the fault matrix, the examples
// and guides, the release, interruptions, and the states of releases.
package e2e
