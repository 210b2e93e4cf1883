package api

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestManyChangesAreToldAtOnceAndThenTenTimesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(100 * time.Millisecond)
		began := time.Now()
		var told []time.Duration
		changes, known := 0, 0
		tell := func() { told, known = append(told, time.Since(began)), changes }
		change := time.NewTicker(time.Millisecond)
		end := time.After(time.Second)
		for running := true; running; {
			select {
			case <-change.C:
				changes++
				p.step(false, tell)
			case <-p.due:
				p.step(true, tell)
			case <-end:
				running = false
			}
		}
		if len(told) < 9 || len(told) > 11 || told[0] != time.Millisecond {
			t.Errorf("told after %v", told)
		}
		change.Stop()
		for p.due != nil { // the last change is told, and then there is silence
			<-p.due
			p.step(true, tell)
		}
		if known != changes {
			t.Errorf("of %d changes %d are known", changes, known)
		}
		<-time.After(time.Minute)
		count := len(told)
		if p.step(false, tell); len(told) != count+1 {
			t.Error("a change after a silence waits")
		}
	})
}
