//go:build race

package e2e_test

// slowdown lengthens the times that an honest answer has in the fault matrix:
// the race detector makes everything several times slower.
const slowdown = 2
