package prerequisites

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgramsAreProbedTogetherAndOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		ran := make(map[string]int)
		p := prereqsProbe{works: func(_ context.Context, program string) bool {
			<-time.After(4 * time.Second)
			mu.Lock()
			defer mu.Unlock()
			ran[program]++
			return program == "npx"
		}}
		began := time.Now()
		for range 3 {
			if got := p.check(t.Context()); got != (Prereqs{NPX: true}) {
				t.Errorf("got %+v", got)
			}
		}
		if took := time.Since(began); took != 4*time.Second || len(ran) != 4 || ran["uvx"] != 1 {
			t.Errorf("ran %v in %v", ran, took)
		}
		<-time.After(probeAge)
		p.check(t.Context())
		if ran["npx"] != 2 {
			t.Errorf("a minute later: ran %v", ran)
		}
		<-time.After(probeAge)
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		p.check(cancelled)
		p.check(t.Context())
		if ran["npx"] != 4 {
			t.Errorf("the result of a cancelled check was reused: %v", ran)
		}
	})
}
