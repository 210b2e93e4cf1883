// Package answercache stores the hub's last answers to requests that open a session, so that a companion can give them
// while a hub starts. The cache has the last answer for each Key; package companion decides when the answer may be
// given again.
//
// The answers are files in the folder run of the data folder; only the user can read the folder and the files. They
// contain names, descriptions and schemas of tools, and names of servers, but no values of secrets.
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
	// maxFiles is the maximum number of answers. Each kind of client needs two or three.
	maxFiles = 32
	// prefix begins the names of the files. In the name of a temporary file, a dot precedes it.
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

// Cache keeps answers for one data folder. It is safe for concurrent use, by several
// processes too.
type Cache struct{ Folder paths.Folder }

// file returns the path of the file with an answer.
func (c Cache) file(k Key) string {
	fields, _ := json.Marshal(k) // encoding strings cannot fail
	sum := sha256.Sum256(fields)
	return c.Folder.Run(prefix + hex.EncodeToString(sum[:16]))
}

// Get returns the last answer that was kept under a key. It returns false if there is
// none, or if its file is damaged.
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

// hexSum is the length of the first line of a file, which is the Sum of the rest in hexadecimal.
const hexSum = 2 * sha256.Size

// Put keeps an answer, which is one line of JSON, and removes the answers that were used least recently if there are
// too many. If the answer is too large, Put only removes the earlier answer under the same key.
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

// prune removes the answers that were used least recently if there are more than maxFiles, and temporary files that a
// process left behind.
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
