//go:build !unix

package journal

import "errors"

const fullVariable = "JOURNAL_TEST_FULL"

func beginOnAFullDisk(string) error { return errors.New("this system cannot limit the size of files") }
