package inputrequired

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestRetriesHaveTheHashOfTheirCall(t *testing.T) {
	first := hash(t, `{"name":"x","arguments":{"a":1,"b":["\u00e9/",null]}}`)
	for _, same := range []string{
		`{"arguments":{"b":["é\/", null], "a":1} , "name":"\u0078"}`,
		`{"name":"x","arguments":{"a":1,"b":["é/",null]},"_meta":{"progressToken":1}}`,
		`{"name":"x","arguments":{"a":1,"b":["é/",null]},"inputResponses":{"k":{}},"requestState":"s"}`,
		`{"name":"y","arguments":{"a":1,"b":["é/",null]},"name":"x"}`,
		" \n{\"name\":\"x\",\"arguments\":{\"a\":1,\"b\":[\"é/\",null]}}\n",
	} {
		if hash(t, same) != first {
			t.Errorf("%s has another hash", same)
		}
	}
	if hash(t, ``) != hash(t, `{}`) || hash(t, `{}`) != hash(t, `{"_meta":{"a":1}}`) {
		t.Error("absent params and {} have different hashes")
	}
}

func TestOtherCallsHaveOtherHashes(t *testing.T) {
	seen := make(map[[32]byte]string)
	for _, raw := range []string{
		`{}`, `{"a":1}`, `{"a":1.0}`, `{"a":"1"}`, `{"a":true}`, `{"a":"true"}`, `{"a":null}`, `{"a":"null"}`, `{"a":[]}`, `{"a":{}}`,
		`{"a":""}`, `{"a":[1,2]}`, `{"a":[2,1]}`, `{"a":[[1],2]}`, `{"a":[1,[2]]}`, `{"a":["1","2"]}`, `{"a":["1,2"]}`, `{"a":{"b":1}}`,
		`{"a":{"c":1}}`, `{"ab":1}`, `{"a":1,"b":1}`, `{"a":{"b":1},"c":2}`, `{"a":{"b":1,"c":2}}`, `{"a":{"_meta":1}}`,
		`{"a":{"requestState":"s"}}`, `{"a":"\ud800"}`, `{"a":"\ud801"}`, `{"a":"�"}`, `{"\ud800":1}`, `{"\ud801":1}`, `{"a":"\"x"}`,
		`{"a":"\\\"x"}`,
	} {
		sum := hash(t, raw)
		if other, twice := seen[sum]; twice {
			t.Errorf("%s and %s have the same hash", raw, other)
		}
		seen[sum] = raw
	}
}

func TestOnlyObjectsHaveAHash(t *testing.T) {
	for _, raw := range []string{`null`, `[]`, `"x"`, `{`, `{"a":}`, ` `, `{}}`, strings.Repeat("[", 1<<20)} {
		if _, err := Hash(json.RawMessage(raw)); err == nil {
			t.Errorf("%.20s has a hash", raw)
		}
	}
}

func TestDeepParamsAreHashedInOnePass(t *testing.T) {
	const depth = 9000
	hash(t, `{"a":`+strings.Repeat(`[{"b":`, depth/2)+`"`+strings.Repeat("x", 1<<20)+`"`+strings.Repeat(`}]`, depth/2)+`}`)
}

// TestHashIgnoresHowObjectsAreWritten checks that a random value has the same hash with
// its members in sorted and in random order, and that different values have different
// hashes.
func TestHashIgnoresHowObjectsAreWritten(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	seen := make(map[[32]byte]string)
	for range 2000 {
		value := map[string]any{"name": randomValue(random, 3)}
		sorted, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		sum := hash(t, string(sorted))
		if shuffled := shuffle(random, value); hash(t, shuffled) != sum {
			t.Fatalf("%s and %s have different hashes", sorted, shuffled)
		}
		if other, ok := seen[sum]; ok && other != string(sorted) {
			t.Fatalf("%s and %s have the same hash", sorted, other)
		}
		seen[sum] = string(sorted)
	}
}

func randomValue(random *rand.Rand, depth int) any {
	switch n := random.IntN(6); {
	case n == 0 && depth > 0:
		out := make(map[string]any)
		for range random.IntN(4) {
			out[strconv.Itoa(random.IntN(20))] = randomValue(random, depth-1)
		}
		return out
	case n == 1 && depth > 0:
		out := make([]any, random.IntN(3))
		for i := range out {
			out[i] = randomValue(random, depth-1)
		}
		return out
	case n == 2:
		return strconv.Itoa(random.IntN(5))
	case n == 3:
		return random.IntN(2) == 0
	}
	return random.IntN(5)
}

// shuffle writes a value with the members of objects in random order.
func shuffle(random *rand.Rand, value any) string {
	var parts []string
	switch value := value.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(value))
		random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for _, key := range keys {
			parts = append(parts, " "+strconv.Quote(key)+" : "+shuffle(random, value[key]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		for _, item := range value {
			parts = append(parts, shuffle(random, item))
		}
		return "[" + strings.Join(parts, " , ") + "]"
	}
	text, _ := json.Marshal(value)
	return string(bytes.TrimSpace(text))
}

func hash(t *testing.T, raw string) [32]byte {
	t.Helper()
	sum, err := Hash(json.RawMessage(raw))
	if err != nil {
		t.Fatalf("%.100s: %v", raw, err)
	}
	return sum
}
