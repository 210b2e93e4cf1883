package embedding

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// direction returns a vector of length 1 that depends on seed.
func direction(seed, dimensions int) []float32 {
	v := make([]float32, dimensions)
	for i := range v {
		v[i] = float32(math.Sin(float64((seed + 1) * (i + 3))))
	}
	normalize(v)
	return v
}

func TestRoundingPreservesTheDirection(t *testing.T) {
	for seed := range 20 {
		exact := direction(seed, 384)
		v := Round(exact)
		var dot, length float64
		for i, n := range v.Values {
			rounded := float64(n) * float64(v.Scale)
			if off := math.Abs(rounded - float64(exact[i])); off > float64(v.Scale)*0.501 {
				t.Fatalf("number %d is off by %g", i, off)
			}
			dot += rounded * float64(exact[i])
			length += rounded * rounded
		}
		if cosine := dot / math.Sqrt(length); cosine < 0.9995 {
			t.Errorf("seed %d: the rounded vector has cosine %f with the exact one", seed, cosine)
		}
	}
	if v := Round(make([]float32, 3)); v.Scale != 0 || len(v.Values) != 3 {
		t.Errorf("zeros are rounded to %v", v)
	}
	if v := Round([]float32{0, -1}); v.Values[1] != -127 || v.Values[0] != 0 {
		t.Errorf("a vector along an axis is rounded to %v", v)
	}
}

func TestSnapshotsOfVectorsAreImmutable(t *testing.T) {
	b := newBuilder("m", 0, 2)
	b.add(keyOf("one"), 1, []int8{1, 2})
	first := b.snapshot()
	if b.add(keyOf("one"), 1, []int8{9, 9}) || b.add(keyOf("long"), 1, []int8{9, 9, 9}) || b.add(keyOf("none"), 1, nil) {
		t.Error("add accepts a known key or a vector of other dimensions")
	}
	b.add(keyOf("two"), 2, []int8{3, 4})
	b.add(keyOf("three"), 3, []int8{5, 6}) // beyond the expected number
	if _, ok := first.Of("two"); ok || first.Len() != 1 || first.Dimensions() != 2 || first.Model() != "m" {
		t.Errorf("the first snapshot has changed: %+v", first)
	}
	for hash, want := range map[string]string{"one": "{1 [1 2]}", "two": "{2 [3 4]}", "three": "{3 [5 6]}"} {
		if v, ok := b.snapshot().Of(hash); !ok || fmt.Sprint(v) != want {
			t.Errorf("%s: %v, %v", hash, v, ok)
		}
	}
	one, _ := b.snapshot().Of("one")
	_ = append(one.Values, 7)
	if two, _ := b.snapshot().Of("two"); two.Values[0] != 3 {
		t.Error("appending to a vector overwrites the next one")
	}
}

func TestTenThousandVectorsTakeAtMostFiveMegabytes(t *testing.T) {
	const tools, dimensions = 10_000, 384
	var before, after runtime.MemStats
	values := make([]int8, dimensions)
	runtime.GC()
	runtime.ReadMemStats(&before)
	b := newBuilder("m", 0, tools)
	for i := range tools {
		b.add(keyOf(fmt.Sprintf("hash %d", i)), 1, values)
	}
	v := b.snapshot()
	b = nil
	runtime.GC()
	runtime.ReadMemStats(&after)
	if took := int64(after.HeapAlloc) - int64(before.HeapAlloc); took > 5<<20 {
		t.Errorf("%d vectors take %d bytes, want at most 5 MB", v.Len(), took)
	}
	runtime.KeepAlive(v)
}

func TestTheTextOfAToolHasItsNameAndDescription(t *testing.T) {
	for _, c := range []struct{ name, description, want string }{
		{"createIssue", "Opens an\n issue.", "create issue. Opens an issue."},
		{"get_file-contents", "", "get file contents. "},
		{"API2Call", "x", "api2call. x"},
		{"__läßt Überall", "x", "läßt überall. x"},
		{"", "x", ". x"},
	} {
		if got := Text(&catalog.Tool{Name: c.name, Description: c.description}); !strings.HasSuffix(got, c.want) {
			t.Errorf("%q: got %q, which does not end with %q", c.name, got, c.want)
		}
	}
	long := Text(&catalog.Tool{Name: "x", Description: strings.Repeat("é \n ", 100_000)})
	if len(long) > maxText || len(long) < maxText-2 || !utf8.ValidString(long) {
		t.Errorf("a long text has %d bytes, valid UTF-8: %v", len(long), utf8.ValidString(long))
	}
}

func TestPausesDoubleUpToFiveMinutes(t *testing.T) {
	var got []string
	for failures := 1; failures < 12; failures++ {
		got = append(got, backoff(failures).String())
	}
	if want := "1s 2s 4s 8s 16s 32s 1m4s 2m8s 4m16s 5m0s 5m0s"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}
