package registration

import (
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// timeResolution is the coarsest resolution of file times. A file that was
// written more recently may change without a new time, so it is not cached.
const timeResolution = 2 * time.Second

// fileCache caches the state of files until they change, so that polling all of them is cheap. Of
// the content of a file it keeps only the Agent Discover entry.
type fileCache struct {
	mu    sync.Mutex
	files map[string]fileContent
}

// fileContent is the state of a file when it was read.
type fileContent struct {
	fingerprint string
	exists      bool
	hash        string
	entry       entry
	problem     string // why the file cannot be read
	rejected    rejection
	uneditable  string // why the entry cannot be added to the text
	unwritable  string // why the file cannot be changed: uneditable, or why it cannot be written
}

// get returns the content of a file, from the cache if the file is unchanged.
func (c *fileCache) get(file table.File) fileContent {
	f, err := atomicfile.Stat(file.Path)
	if err != nil {
		return fileContent{problem: fault.MessageOf(err)}
	}
	key := strings.Join(append([]string{file.Path, file.Shape, string(file.Place.Format), file.Place.List}, file.Place.Keys...), "\x00")
	notWritable := f.CheckWritable()
	c.mu.Lock()
	content, known := c.files[key]
	c.mu.Unlock()
	if !known || content.fingerprint != f.Fingerprint() {
		old := content
		content = readContent(file)
		age := time.Since(f.ModTime())
		switch {
		case !f.Exists || age > timeResolution:
			c.put(key, content)
		case known && old.exists && (content.problem != "" || f.Size() == 0):
			content = old // another program is probably just writing the file
		}
	}
	if content.unwritable = content.uneditable; notWritable != nil {
		content.unwritable = fault.MessageOf(notWritable)
	}
	return content
}

func (c *fileCache) put(key string, content fileContent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files == nil {
		c.files = make(map[string]fileContent)
	}
	c.files[key] = content
}

// forget removes a file from the cache.
func (c *fileCache) forget(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.files, func(key string, _ fileContent) bool { return strings.HasPrefix(key, path+"\x00") })
}

func readContent(file table.File) fileContent {
	f, err := atomicfile.Read(file.Path)
	if err != nil {
		return fileContent{problem: fault.MessageOf(err)}
	}
	content := fileContent{fingerprint: f.Fingerprint(), exists: f.Exists, hash: f.Hash}
	if content.entry, err = readEntry(f.Data, file); err != nil {
		content.problem = fault.MessageOf(err)
	}
	if content.problem == "" && !content.entry.exists {
		content.uneditable = checkEditable(f.Data, file)
	}
	content.entry.value = nil
	content.rejected.which, content.rejected.line, _ = configedit.FindExtension(f.Data, file.Rejects)
	return content
}

// checkEditable tries to add an entry to a text that has none. It returns why
// that fails; "" when it succeeds.
func checkEditable(text []byte, file table.File) string {
	value, err := table.Spell(file.Shape, Name, table.Server{Transport: "stdio", Command: Name})
	if err == nil {
		_, err = configedit.Put(text, file.Place, Name, value)
	}
	if err != nil {
		return fault.MessageOf(err)
	}
	return ""
}
