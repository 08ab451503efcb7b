//go:build !race

package provider_test

const slowdown = 1
