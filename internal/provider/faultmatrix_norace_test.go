//go:build !race

package provider

const slowdown = 1
