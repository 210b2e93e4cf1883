package audit

import "time"

// catchUp is how much faster than the hub's running time the assumed time may advance.
const catchUp = 24

// clock is the time by which records expire. The clock of a machine may jump years ahead, for example after its battery
// was empty, and a hub that believed it would delete all records at once. So the assumed time continues where the last
// hub had left it, and approaches the real time by a day for each hour that the hub runs.
type clock struct {
	began time.Time // of the hub
	from  time.Time // the assumed time at began
}

// newClock returns a clock that continues from a time, or from now if that is zero or later than now.
func newClock(from time.Time) clock {
	now := time.Now()
	if from.IsZero() || from.After(now) {
		from = now
	}
	return clock{began: now, from: from}
}

// now returns the assumed time, which is never later than the real time.
func (c clock) now() time.Time {
	now := time.Now()
	ran := now.Sub(c.began) // by the monotonic clock
	if assumed := c.from.Add(catchUp * ran); ran < 365*24*time.Hour && assumed.Before(now) {
		return assumed.UTC()
	}
	return now.UTC().Round(0)
}

// Expired returns the time before which records have expired that are kept for a retention.
func (l *Log) Expired(retention time.Duration) time.Time {
	if l == nil {
		return time.Now().Add(-retention)
	}
	return l.clock.now().Add(-retention)
}
