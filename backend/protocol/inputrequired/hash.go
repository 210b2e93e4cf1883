package inputrequired

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
)

// Hash returns a SHA-256 hash of the params of a call. A call and its retries have the
// same hash, because it covers all members but _meta, inputResponses and requestState.
// The order of members, white space and escapes in strings do not matter. Numbers are
// compared as they are written, so 1 and 1.0 differ. Absent params have the hash of {}.
// Params that are not an object are an error.
//
// The hash of an object is computed from the sorted names of its members and the hashes
// of their values, and the hash of an array from the hashes of its elements. Params of
// any depth are therefore hashed in one pass.
func Hash(params json.RawMessage) ([sha256.Size]byte, error) {
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	at := jsonscan.Space(params, 0)
	if !jsonscan.Valid(params) || params[at] != '{' {
		return [sha256.Size]byte{}, errors.New("hash params: they are not an object")
	}
	sum, _ := hashObject(params, at, func(name string) bool {
		return name == "_meta" || ofRetry([]byte(name))
	})
	return sum, nil
}

// hashValue returns the hash of the JSON value that begins at data[at], and the
// position after the value.
func hashValue(data []byte, at int) (sum [sha256.Size]byte, end int) {
	switch data[at] {
	case '{':
		return hashObject(data, at, func(string) bool { return false })
	case '[':
		text := []byte{'['}
		a := jsonscan.Elements(data, at)
		for a.Next() {
			item, end := hashValue(data, a.Start())
			a.SetEnd(end)
			text = append(text, item[:]...)
		}
		return sha256.Sum256(text), a.Close()
	}
	end = jsonscan.End(data, at)
	return sha256.Sum256(scalar(data[at:end])), end
}

// hashObject returns the hash of the JSON object that begins at data[at], without the
// members whose names skip accepts. end is the position after the object.
func hashObject(data []byte, at int, skip func(name string) bool) (sum [sha256.Size]byte, end int) {
	type member struct {
		name []byte
		sum  [sha256.Size]byte
	}
	var members []member
	o := jsonscan.Members(data, at)
	for o.Next() {
		if name, _ := jsonscan.String(o.Quoted()); skip(name) {
			continue
		}
		value, end := hashValue(data, o.Start())
		o.SetEnd(end)
		members = append(members, member{scalar(o.Quoted()), value})
	}
	slices.SortStableFunc(members, func(a, b member) int { return bytes.Compare(a.name, b.name) })
	text := []byte{'{'}
	for i, m := range members {
		if i+1 < len(members) && bytes.Equal(m.name, members[i+1].name) {
			continue // of members with the same name the last one counts
		}
		text = binary.BigEndian.AppendUint64(text, uint64(len(m.name)))
		text = append(append(text, m.name...), m.sum[:]...)
	}
	return sha256.Sum256(text), o.Close()
}

// scalar returns the text that a hash covers for a string, a number, true, false or
// null. For a string, that is a quote followed by the decoded string; for other values,
// it is raw. If the decoded string would be ambiguous, because raw escapes half a
// surrogate pair, scalar returns a backslash followed by raw.
func scalar(raw []byte) []byte {
	text, ok := jsonscan.String(raw)
	switch {
	case !ok:
		return raw
	case strings.ContainsRune(text, utf8.RuneError):
		return append([]byte{'\\'}, raw...)
	}
	return append([]byte{'"'}, text...)
}
