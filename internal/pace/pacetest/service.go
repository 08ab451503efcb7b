// Package pacetest has a service that enforces its limit, for tests.
package pacetest

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Service allows so many requests in any second, and in minutes that are fixed or slide.
type Service struct {
	PerMinute, PerSecond int

	Sliding    bool
	Aligned    bool   // fixed windows begin at whole minutes, not with a request
	Silent     bool   // it sends no headers
	RetryAfter string // of each refusal
	Latency    time.Duration

	mu       sync.Mutex
	opened   time.Time // of the fixed window
	used     int
	arrivals []time.Time // of what was not refused
	refusals int
}

// Usual has the limits of the specification.
func Usual() *Service { return &Service{PerMinute: 60, PerSecond: 5} }

// Arrivals are the times of the requests that were not refused.
func (s *Service) Arrivals() []time.Time { return s.arrivals }

// Refusals is how many requests were refused since the last call.
func (s *Service) Refusals() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.refusals
	s.refusals = 0
	return n
}

// Exchange takes a request to the service and its answer back.
func (s *Service) Exchange() (status int, header http.Header) {
	s.delay()
	defer s.delay()
	return s.Arrive()
}

// delay takes up to twice the latency on the synthetic clock.
func (s *Service) delay() {
	<-time.After(rand.N(2 * max(s.Latency, 10*time.Millisecond))) //nolint:gosec // Jitter needs no secrecy.
}

// Arrive answers a request now.
func (s *Service) Arrive() (status int, header http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	inSecond, inMinute := 0, 0
	oldest := now
	for _, at := range s.arrivals {
		if now.Sub(at) < time.Second {
			inSecond++
		}
		if now.Sub(at) < time.Minute {
			if inMinute++; at.Before(oldest) {
				oldest = at
			}
		}
	}
	end := oldest.Add(time.Minute)
	if !s.Sliding {
		if now.Sub(s.opened) >= time.Minute {
			s.opened, s.used = now, 0
			if s.Aligned {
				s.opened = now.Truncate(time.Minute)
			}
		}
		inMinute, end = s.used, s.opened.Add(time.Minute)
	}
	status, header = http.StatusOK, http.Header{}
	if inSecond >= s.PerSecond || inMinute >= s.PerMinute {
		status = http.StatusTooManyRequests
		s.refusals++
	} else {
		s.arrivals = append(s.arrivals, now)
		s.used++
		inMinute++
	}
	if !s.Silent {
		header.Set("x-rate-limit-limit", "1m")
		header.Set("x-rate-limit-remaining", strconv.Itoa(s.PerMinute-inMinute))
		header.Set("x-rate-limit-reset", end.UTC().Format(time.RFC3339Nano))
	}
	if s.RetryAfter != "" && status == http.StatusTooManyRequests {
		header.Set("Retry-After", s.RetryAfter)
	}
	return status, header
}
