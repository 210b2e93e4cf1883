// Package backup writes everything that a person has configured into one file, and imports such a file on another
// machine or after a loss: servers, toolsets, personas, approvals of calls, what was learned, and the settings with
// their rules. Secrets are left out or encrypted with a passphrase. The packages that own these things decide whether a
// part can be added; this package decides what happens to names that exist already, and what needs a person.
package backup

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/market/persona"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Format is the member "format" of an export.
const Format = "agent-discover-export"

const (
	// version is raised when an earlier program would misread an export.
	version = 1
	maxFile = 64 << 20 // bytes
)

// Export is one JSON document with everything that a person has configured.
type Export struct {
	Format     string             `json:"format" doc:"Always agent-discover-export."`
	Version    int                `json:"version" doc:"Version of the format."`
	Program    string             `json:"program" doc:"Version of Agent Discover that has written the export."`
	System     string             `json:"system" doc:"Operating system of the machine: linux, darwin or windows."`
	Created    time.Time          `json:"created"`
	LeftOut    []string           `json:"left_out" nullable:"false" doc:"The parts that the export lacks, as sentences."`
	Servers    []ExportedServer   `json:"servers" nullable:"false"`
	Toolsets   []json.RawMessage  `json:"toolsets" nullable:"false" doc:"Toolsets in the format of toolset export."`
	Equipped   map[string]string  `json:"equipped,omitempty" doc:"Equipped toolsets by client; an empty client is any that has not chosen one itself."`
	Personas   []ExportedPersona  `json:"personas" nullable:"false"`
	Approvals  []ExportedApproval `json:"approvals" nullable:"false" doc:"Tools of which a person has approved all calls."`
	Learned    []ExportedPair     `json:"learned" nullable:"false" doc:"Which tools agents have called after which queries."`
	NoLearning bool               `json:"no_learning,omitempty" doc:"Whether a person has turned learning from calls off."`
	Settings   string             `json:"settings,omitempty" doc:"The settings file, with its comments and rules, and without fixed arguments of tools."`
	Sealed     string             `json:"sealed,omitempty" doc:"Secrets and the whole settings file, encrypted with a passphrase (age, armored)."`
}

// ExportedServer is a server, with references in place of its credentials.
type ExportedServer struct {
	registry.Server
	Secrets []string `json:"secrets,omitempty" doc:"Names of its secrets."`
}

// ExportedPersona holds the files of a persona, and what its activation has added.
type ExportedPersona struct {
	Name   string                 `json:"name"`
	Files  map[string]string      `json:"files,omitempty" doc:"Contents of persona.yaml and mcp.json."`
	Active *persona.ActivePersona `json:"active,omitempty" doc:"Missing if the persona is not active."`
}

// ExportedApproval is a tool of which a person has approved all calls.
type ExportedApproval struct {
	Server string    `json:"server"`
	Tool   string    `json:"tool"`
	Hash   string    `json:"hash" doc:"Hash of the approved definition and of the launch of the server."`
	At     time.Time `json:"at"`
}

// ExportedPair is a query and a tool that was called after it.
type ExportedPair struct {
	Query  string    `json:"query"`
	Server string    `json:"server"`
	Tool   string    `json:"tool"`
	Times  int       `json:"times"`
	Failed int       `json:"failed,omitempty"`
	Last   time.Time `json:"last"`
}

// IsExport reports whether data is an export, of whatever version.
func IsExport(data []byte) bool {
	var head struct {
		Format string `json:"format"`
	}
	return json.Unmarshal(data, &head) == nil && head.Format == Format
}

// read reads an export from a file.
func read(file string) (e Export, data []byte, err error) {
	data, err = paths.ReadRegular(file, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil, fault.New(fault.NotFound, "there is no file %s", file)
	}
	if err != nil {
		return e, nil, fault.Wrap(err, fault.Unavailable, "could not read %s: %s", file, paths.Reason(err))
	}
	e, err = parse(data)
	return e, data, err
}

func parse(data []byte) (e Export, err error) {
	if !IsExport(data) {
		return e, fault.New(fault.Invalid, "the file is not an export of Agent Discover; make one with: agent-discover export FILE")
	}
	var head struct {
		Version int    `json:"version"`
		Program string `json:"program"`
	}
	if json.Unmarshal(data, &head) != nil || head.Version != version {
		return e, newer("it has version %d of the format", head.Version)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&e); err != nil {
		return Export{}, newer("%s", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return Export{}, fault.New(fault.Invalid, "the export is damaged: text follows the JSON object")
	}
	seen := make(map[string]bool)
	for _, s := range e.Servers {
		if seen[s.Name] {
			return Export{}, fault.New(fault.Invalid, "the export is damaged: it has two servers %q", s.Name)
		}
		seen[s.Name] = true
	}
	return e, nil
}

// newer returns the error for an export that this program does not understand completely. Importing only a part would
// lose the rest without a word.
func newer(format string, args ...any) error {
	return fault.New(fault.Invalid, "the export is damaged, or of a newer version of Agent Discover, to which you can update: "+format, args...)
}
