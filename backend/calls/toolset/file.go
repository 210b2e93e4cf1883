package toolset

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// MaxFile is the size of the largest file that Import reads, in bytes.
const MaxFile = 100 << 10

const (
	fileFormat  = "agent-discover-toolset"
	fileVersion = 1
)

// file is the format in which toolsets are exported and imported. It contains no definitions of tools, because text
// in a file from another person must not reach a model as the description of a tool.
type file struct {
	Format      string     `json:"format"`
	Version     int        `json:"version"`
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Tools       []fileTool `json:"tools"`
}

type fileTool struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Hash   string `json:"hash,omitempty"`
	Note   string `json:"note,omitempty"`
}

// Export returns a toolset as a file.
func (k *Keeper) Export(name string) ([]byte, error) {
	t, err := k.Get(name)
	if err != nil {
		return nil, err
	}
	out := file{Format: fileFormat, Version: fileVersion, Name: t.Name, Description: t.Description, Tools: []fileTool{}}
	for _, r := range t.Tools {
		out.Tools = append(out.Tools, fileTool{r.Server, r.Tool, r.Hash, r.Note})
	}
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(out)
	return data.Bytes(), err
}

// Parse reads a file that Export has written. The tools in the result have no definitions.
func Parse(data []byte) (Toolset, error) {
	if len(data) > MaxFile {
		return Toolset{}, fault.New(fault.Invalid, "the toolset file is too large: at most %d bytes are read", MaxFile)
	}
	var in file
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil {
		return Toolset{}, fault.Wrap(err, fault.Invalid, "the file is not a toolset: it is not JSON of the expected form")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return Toolset{}, fault.New(fault.Invalid, "the file is not a toolset: text follows the JSON object")
	}
	if in.Format != fileFormat {
		return Toolset{}, fault.New(fault.Invalid, "the file is not a toolset: its format is not %s", fileFormat)
	}
	if in.Version != fileVersion {
		return Toolset{}, fault.New(fault.Invalid, "the toolset file has version %d; this program reads version %d",
			in.Version, fileVersion)
	}
	t := Toolset{Name: in.Name, Description: in.Description}
	for _, tool := range in.Tools {
		if len(tool.Hash) > 128 || !plain(tool.Hash) {
			return Toolset{}, fault.New(fault.Invalid, "the hash of the tool %s.%s is invalid", tool.Server, tool.Tool)
		}
		t.Tools = append(t.Tools, Reference{Server: tool.Server, Tool: tool.Tool, Hash: tool.Hash, Note: tool.Note})
	}
	return t, t.check()
}

// Import adds a toolset from a file on a person's request. If name is not empty, it replaces the name in the file. A
// tool is ready if its current definition is the exported one; a person has to pin the others.
func (k *Keeper) Import(ctx context.Context, data []byte, name string) (Toolset, error) {
	t, err := Parse(data)
	if err != nil {
		return Toolset{}, err
	}
	if name != "" {
		t.Name = name
	}
	return k.Adopt(ctx, t)
}

// Adopt adds a toolset on a person's request. Unlike Create, it accepts tools that this hub does not know. Adopt pins
// the tools that are Ready.
func (k *Keeper) Adopt(ctx context.Context, t Toolset) (Toolset, error) {
	return k.adopt(ctx, t, false)
}

// Replace is like Adopt, but t replaces a toolset of the same name.
func (k *Keeper) Replace(ctx context.Context, t Toolset) (Toolset, error) {
	return k.adopt(ctx, t, true)
}

func (k *Keeper) adopt(ctx context.Context, t Toolset, replace bool) (Toolset, error) {
	t = t.clone()
	for i, e := range k.Entries(t) {
		t.Tools[i].Pinned = nil
		if e.State == Ready {
			t.Tools[i] = pin(e.Reference, e.Present)
		}
	}
	t.Approved, t.ProposedBy, t.EquipFor = true, "", nil
	return k.change(ctx, t.Name, func(was Toolset, exists bool) (Toolset, error) {
		if exists && !replace {
			return was, fault.New(fault.Conflict, "there is a toolset %q already; delete it or use another name", t.Name)
		}
		t.Created = now()
		t.Updated = t.Created
		if exists {
			t.Created = was.Created
		}
		return t, nil
	})
}
