package inbound

// EachSyncOutcome visits the outcomes that the specification names, for the test
// of the example that repeats the advice on them.
func EachSyncOutcome(visit func(outcome, advice string, healthy bool)) {
	for _, known := range syncOutcomes {
		visit(known.outcome, known.advice, known.healthy)
	}
}
