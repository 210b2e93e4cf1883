package upstream

import (
	"strings"
	"testing"
)

func TestTailKeepsTheLastBytes(t *testing.T) {
	for name, writes := range map[string][]int{
		"little": {10}, "to the brim": {stderrSize}, "round the ring": {stderrSize - 5, 20, 7}, "many small": {1000, 1000, 70000, 3},
		"one flood": {5 * stderrSize}, "floods": {stderrSize + 1, 2 * stderrSize, 11},
	} {
		tail, all := &tail{}, ""
		for i, n := range writes {
			text := strings.Repeat(string(rune('a'+i)), n-1) + "\n"
			if wrote, err := tail.Write([]byte(text)); wrote != n || err != nil {
				t.Fatalf("%s: wrote %d, %v", name, wrote, err)
			}
			all += text
		}
		want := all[max(0, len(all)-stderrSize):]
		if got := tail.last(stderrSize); got != want {
			t.Errorf("%s: kept %d bytes, want %d", name, len(got), len(want))
		}
		if cap(tail.ring) > 2*stderrSize {
			t.Errorf("%s: the ring has %d bytes", name, cap(tail.ring))
		}
	}
}

func TestTailBeginsWithAWholeLine(t *testing.T) {
	tail := &tail{}
	_, _ = tail.Write([]byte("first line\nsecond line\nthird\n"))
	for n, want := range map[int]string{100: "first line\nsecond line\nthird\n", 20: "second line\nthird\n", 18: "third\n"} {
		if got := tail.last(n); got != want {
			t.Errorf("last %d: got %q, want %q", n, got, want)
		}
	}
}
