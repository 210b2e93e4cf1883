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
		tell := func(now bool) {
			if now {
				told = append(told, time.Since(began))
			}
		}
		change := time.NewTicker(time.Millisecond)
		end := time.After(time.Second)
		for running := true; running; {
			select {
			case <-change.C:
				tell(p.step(false))
			case <-p.due:
				tell(p.step(true))
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
			tell(p.step(true))
		}
		<-time.After(time.Minute)
		count := len(told)
		if tell(p.step(false)); len(told) != count+1 {
			t.Error("a change after a silence waits")
		}
	})
}
