package push

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestFrequentChangesAreSentAtOnceAndThenOncePerInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(100 * time.Millisecond)
		began := time.Now()
		var times []time.Duration
		changes, sent := 0, 0
		send := func() { times, sent = append(times, time.Since(began)), changes }
		change := time.NewTicker(time.Millisecond)
		end := time.After(time.Second)
		for running := true; running; {
			select {
			case <-change.C:
				changes++
				p.step(false, send)
			case <-p.due:
				p.step(true, send)
			case <-end:
				running = false
			}
		}
		if len(times) < 9 || len(times) > 11 || times[0] != time.Millisecond {
			t.Errorf("sent after %v", times)
		}
		change.Stop()
		for p.due != nil {
			<-p.due
			p.step(true, send)
		}
		if sent != changes {
			t.Errorf("the last message contains %d of %d changes", sent, changes)
		}
		<-time.After(time.Minute)
		count := len(times)
		if p.step(false, send); len(times) != count+1 {
			t.Error("a change after a pause is not sent at once")
		}
	})
}
