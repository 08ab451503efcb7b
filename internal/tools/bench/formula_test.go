package main

import (
	"strings"
	"testing"
	"time"
)

// wantSame compares two values, of something.
func wantSame[T comparable](t *testing.T, want, got T, of any) {
	t.Helper()
	if got != want {
		t.Errorf("%v: got %v, want %v", of, got, want)
	}
}

func TestRefreshRequests_areNeverMoreThanTwiceTheBestChoice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ objects, account, size, want int }{
		{0, 100, 100, 0},
		{1, 50_000, 100, 1},
		{2, 2, 100, 2},
		{5, 50_000, 100, 6},
		{499, 50_000, 100, 500},
		{500, 50_000, 100, 1000},
		{1000, 1000, 100, 20},
		{100, 100, 20, 10},
		{7, 0, 100, 2},
	} {
		wantSame(t, tt.want, refreshRequests(tt.objects, tt.account, tt.size), tt)
	}
	for _, account := range []int{1, 99, 100, 101, 5000, 50_000} {
		for objects := 1; objects <= min(account, 2000); objects++ {
			if got, best := refreshRequests(objects, account, pageSize), min(objects, pagesOf(account, pageSize)); got > 2*best {
				t.Fatalf("%d objects in an account of %d cost %d requests, the best choice %d", objects, account, got, best)
			}
		}
	}
}

func TestAtLimit_isTheTimeFromTheFirstRequestToTheLast(t *testing.T) {
	t.Parallel()
	for requests, want := range map[int]time.Duration{
		0: 0, 1: 0, 5: 0, 6: time.Second, 60: 11 * time.Second, 61: time.Minute, 66: 61 * time.Second, 120: 71 * time.Second, 3600: 59*time.Minute + 11*time.Second,
	} {
		wantSame(t, want, atLimit(requests), requests)
	}
}

func TestCompared_isTheMedianOfRatios(t *testing.T) {
	t.Parallel()
	ours, floor := []spent{{20, 2}, {300, 2}, {4000, 2}}, []spent{{10, 1}, {100, 1}, {1000, 1}}
	if got := compared("", ours, floor); got.measured != 3 || !strings.Contains(got.note, "processors 2×; medians of 3") {
		t.Errorf("got %v, %q, want 3", got.measured, got.note)
	}
	wantSame(t, 2.5, median([]float64{4, 1, 3, 2}), "the median of four lies between the middle two")
}

func TestCNPJ_hasTheRightCheckDigits(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i := range 200 {
		number := cnpj(i)
		if len(number) != 14 || seen[number] {
			t.Fatalf("branch %d has the number %s", i, number)
		}
		seen[number] = true
	}
	// Reckoned by hand.
	for i, want := range map[int]string{0: "11222333000262", 1: "11222333000343"} {
		wantSame(t, want, cnpj(i), i)
	}
}

func TestNoun_isTheWordForOneOrMore(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{"company": noun("companies", 1), "companies": noun("companies", 2), "webhook": noun("webhooks", 1)} {
		wantSame(t, want, got, "noun")
	}
}

func TestCost_namesRequestsAndTime(t *testing.T) {
	t.Parallel()
	for requests, want := range map[int]string{5: "5", 20: "20 (3 s)", 100: "100 (1 min)", 5000: "5,000 (1.4 h)"} {
		wantSame(t, want, cost(requests), requests)
	}
}
