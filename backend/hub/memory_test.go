package hub

import "testing"

func TestMemoryIsReleasedOnceAfterWork(t *testing.T) {
	const some = 10 * restBytes
	var w workMeter
	total := uint64(0)
	for i, check := range []struct {
		allocated uint64 // since the last check
		want      bool
		why       string
	}{
		{some, false, "the hub works"},
		{some, false, "the hub still works"},
		{restBytes / 2, true, "the work has ended"},
		{restBytes / 2, false, "memory was released a moment ago"},
		{0, false, "nothing happened"},
		{restBytes / 4, false, "hardly anything was allocated since the release"},
		{some, false, "the hub works again"},
		{0, true, "the work has ended again"},
	} {
		total += check.allocated
		got := w.done(total)
		if got != check.want {
			t.Errorf("check %d: %v, want %v: %s", i, got, check.want, check.why)
		}
		if got {
			w.released(total)
		}
	}
}
