package minilm

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
)

// readTexts reads a file in testdata with a JSON string on each line.
func readTexts(t testing.TB, name string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for line := range bytes.Lines(data) {
		var text string
		if err := json.Unmarshal(line, &text); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	return texts
}

// readVectors reads the vectors that build/model/reference.py has computed for the sentences in testdata.
func readVectors(t *testing.T) [][]float32 {
	t.Helper()
	data, err := os.ReadFile("testdata/sentences.vectors")
	if err != nil {
		t.Fatal(err)
	}
	var vectors [][]float32
	for ; len(data) > 0; data = data[2*Dimensions:] {
		vector := make([]float32, Dimensions)
		for i := range vector {
			vector[i] = float32(int16(binary.LittleEndian.Uint16(data[2*i:]))) / 32767
		}
		vectors = append(vectors, vector)
	}
	return vectors
}

// distanceOf returns one minus the cosine of two vectors.
func distanceOf(a, b []float32) float64 {
	var product, squareA, squareB float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		product, squareA, squareB = product+x*y, squareA+x*x, squareB+y*y
	}
	return 1 - product/math.Sqrt(squareA*squareB)
}

func TestVectorsMatchThoseOfTheTrainedModel(t *testing.T) {
	sentences, vectors := readTexts(t, "sentences.jsonl"), readVectors(t)
	if len(sentences) != 200 || len(vectors) != 200 {
		t.Fatalf("got %d sentences and %d vectors, want 200 of each", len(sentences), len(vectors))
	}
	for _, k := range supportedKernels() {
		t.Run(k.name, func(t *testing.T) {
			e := New()
			e.kernels = k
			var most, all float64
			every := 1
			if k.name == plain.name {
				every = 20 // plain is slow, and other tests compare all kernels bit for bit
				if raceEnabled {
					every = 100
				}
			}
			for i := 0; i < len(sentences); i += every {
				sentence := sentences[i]
				distance := distanceOf(e.Encode(sentence, 0), vectors[i])
				if most, all = max(most, distance), all+distance; distance > 1e-3 || math.IsNaN(distance) {
					t.Errorf("%q: the distance to the vector of the trained model is %.2g", sentence, distance)
				}
			}
			t.Logf("1-cosine: maximum %.2g, mean %.2g", most, all*float64(every)/200)
		})
	}
}

func TestAllKernelsGiveTheSameVectors(t *testing.T) {
	texts := []string{"", "one", "a tool that finds tools"}
	if !raceEnabled {
		texts = append(texts, strings.Repeat("many words and ", 20))
	}
	exact := New()
	exact.kernels = plain
	for _, text := range texts {
		want := exact.Encode(text, 256)
		for _, k := range supportedKernels()[1:] {
			e := New()
			e.kernels = k
			for i, got := range e.Encode(text, 256) {
				if want[i] != got {
					t.Fatalf("%s: %q has %v at %d, want %v", k.name, text, got, i, want[i])
				}
			}
		}
	}
}

func TestEveryTextHasAVectorOfLengthOne(t *testing.T) {
	e := New()
	for _, text := range []string{"", " \n", "\xff\xfe\x80", "\u0301", "🙂", strings.Repeat("long ", 1e5), strings.Repeat("x", 1e6)} {
		for _, most := range []int{-1, 0, 1, 2, 3, 5, 17, 256, 1 << 30} {
			var square float64
			vector := e.Encode(text, most)
			for _, value := range vector {
				square += float64(value) * float64(value)
			}
			if len(vector) != Dimensions || math.Abs(square-1) > 1e-5 {
				t.Errorf("the vector of %.20q with %d tokens has the length %v", text, most, math.Sqrt(square))
			}
		}
	}
}

func TestSentencesOfSimilarMeaningAreNear(t *testing.T) {
	e := New()
	asked := e.Encode("will I need an umbrella tomorrow?", 0)
	weather := e.Encode("Get the weather forecast for a city.", 0)
	invoice := e.Encode("Refund an invoice of a customer.", 0)
	if near, far := distanceOf(asked, weather), distanceOf(asked, invoice); near > far-0.2 {
		t.Errorf("the distance is %.2f to the forecast and %.2f to the invoice", near, far)
	}
}

func TestTokensBeyondTheLimitAreIgnored(t *testing.T) {
	e := New()
	if distanceOf(e.Encode("one two three four", 4), e.Encode("one two", 0)) > 1e-9 {
		t.Error("a word beyond the limit changes the vector")
	}
	if distanceOf(e.Encode("one two three", 5), e.Encode("one two", 0)) < 1e-3 {
		t.Error("a word within the limit does not change the vector")
	}
}

func TestConcurrentUseIsSafe(t *testing.T) {
	e := New()
	sentences := readTexts(t, "sentences.jsonl")[:24]
	want := make([][]float32, len(sentences))
	for i, sentence := range sentences {
		want[i] = e.Encode(sentence, 32)
	}
	var all sync.WaitGroup
	for worker := range 6 {
		all.Go(func() {
			for i := range sentences {
				at := (i + 4*worker) % len(sentences)
				if got := e.Encode(sentences[at], 32); distanceOf(got, want[at]) != distanceOf(want[at], want[at]) {
					t.Errorf("%q has a different vector under concurrency", sentences[at])
				}
				if i == 10 {
					e.Release()
				}
			}
		})
	}
	all.Wait()
	if len(e.scratch) > maxIdle {
		t.Errorf("%d scratch buffers are kept, want at most %d", len(e.scratch), maxIdle)
	}
	if e.Release(); len(e.scratch) != 0 {
		t.Error("scratch buffers are kept after Release")
	}
}

func TestNewAllocatesLittleMemory(t *testing.T) {
	made := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			New()
		}
	})
	if bytes := made.AllocedBytesPerOp(); bytes > 800<<10 {
		t.Errorf("an encoder takes %d bytes; are the tables copied?", bytes)
	}
}

// benchmark encodes a text of that number of tokens.
func benchmark(b *testing.B, text string, tokens int) {
	e := New()
	if got := len(e.words.tokens(text, tokens)); got != tokens {
		b.Fatalf("the text has %d tokens, want %d", got, tokens)
	}
	for b.Loop() {
		e.Encode(text, tokens)
	}
}

func BenchmarkQuery(b *testing.B) {
	benchmark(b, "find the slowest queries of the last hour, please", 12)
}

func BenchmarkDocument64(b *testing.B) {
	benchmark(b, strings.Repeat("returns the rows of a table as text ", 20), 64)
}

func BenchmarkDocument128(b *testing.B) {
	benchmark(b, strings.Repeat("returns the rows of a table as text ", 20), 128)
}
