// Package answercache stores the hub's last answers to the requests that open a session. While a hub is starting, the
// companion, which is the process that an editor starts, can answer the editor with them. The cache has the last answer
// for each Key; package companion decides when to send a cached answer.
//
// The answers are files in the subfolder "run" of the data folder; only the user can read the subfolder and the files.
// The files contain names of servers, and names, descriptions and schemas of tools, but no values of secrets.
package answercache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
)

const (
	// maxAnswer is the size of the largest answer that is kept, in bytes. A tool
	// definition seldom has more than 4 KiB.
	maxAnswer = 16 << 20
	// maxFiles is the maximum number of stored answers. Each kind of client needs two or three.
	maxFiles = 32
	// prefix begins the name of each file with an answer. The name of a temporary file begins with a dot and then
	// prefix.
	prefix = "answer-"
	// staleTemp is the age from which a temporary file counts as left behind by a killed process.
	staleTemp = time.Hour
)

// Key has everything that an answer depends on.
type Key struct {
	Version  string // of the hub
	Method   string
	Era      string // legacy or modern
	Client   string // name of the client
	Protocol string // version of MCP that the client asked for
	Editor   string // id of the editor whose entry has started the companion; empty if the entry has no id
	Surface  string // surface that the entry names; see package surfaces
	Toolset  string `json:",omitempty"` // name of the toolset that the client's project selects; may be empty
}

// Sum is the SHA-256 of an answer.
type Sum [sha256.Size]byte

// Cache stores answers in one data folder. It is safe for concurrent use, also by several processes.
type Cache struct{ Folder paths.Folder }

// file returns the path of the file that contains the answer for k.
func (c Cache) file(k Key) string {
	fields, _ := json.Marshal(k) // encoding strings cannot fail
	sum := sha256.Sum256(fields)
	return c.Folder.Run(prefix + hex.EncodeToString(sum[:16]))
}

// Get returns the stored answer for k and its Sum. It returns false if no answer is stored, or if the file of the
// answer is damaged.
func (c Cache) Get(k Key) (answer json.RawMessage, sum Sum, ok bool) {
	file := c.file(k)
	if info, err := os.Stat(file); err != nil || info.Size() > hexSum+1+maxAnswer {
		return nil, Sum{}, false
	}
	data, err := paths.ReadFile(file)
	if err != nil {
		return nil, Sum{}, false
	}
	head, answer, _ := bytes.Cut(data, []byte("\n"))
	sum = sha256.Sum256(answer)
	if string(head) != hex.EncodeToString(sum[:]) || len(answer) == 0 {
		return nil, Sum{}, false
	}
	return answer, sum, true
}

// hexSum is the length of the first line of a file, without the line break. The line is the Sum of the rest of the
// file, in hexadecimal.
const hexSum = 2 * sha256.Size

// Put stores answer, which must be one line of JSON, under k and returns its Sum. If more than maxFiles answers are
// then stored, Put removes those that were put longest ago. If answer is longer than maxAnswer, Put stores nothing and
// removes the earlier answer under k.
func (c Cache) Put(k Key, answer json.RawMessage) (Sum, error) {
	file, sum := c.file(k), Sum(sha256.Sum256(answer))
	if len(answer) > maxAnswer {
		if err := paths.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return sum, fmt.Errorf("remove an answer of the hub: %w", err)
		}
		return sum, nil
	}
	content := slices.Concat([]byte(hex.EncodeToString(sum[:])+"\n"), answer)
	if found, err := paths.ReadFile(file); err == nil && bytes.Equal(found, content) {
		now := time.Now()
		_ = os.Chtimes(file, now, now) // if this fails, the answer may be removed early
		return sum, nil
	}
	if err := paths.WriteFile(file, content); err != nil {
		return sum, fmt.Errorf("keep an answer of the hub: %w", err)
	}
	c.prune()
	return sum, nil
}

// prune removes the answers that were put longest ago, until at most maxFiles are left. It also removes temporary files
// that a killed process left behind.
func (c Cache) prune() {
	dir := filepath.Dir(c.Folder.Run(prefix))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var kept []fs.FileInfo
	for _, entry := range entries {
		info, err := entry.Info()
		switch {
		case err != nil: // another process removed it
		case strings.HasPrefix(entry.Name(), prefix):
			kept = append(kept, info)
		case strings.HasPrefix(entry.Name(), "."+prefix) && time.Since(info.ModTime()) > staleTemp:
			_ = paths.Remove(filepath.Join(dir, entry.Name()))
		}
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, info := range kept[min(len(kept), maxFiles):] {
		_ = paths.Remove(filepath.Join(dir, info.Name())) // the next Put tries again
	}
}
