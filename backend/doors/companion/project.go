package companion

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
)

// ProjectFile is the name of a file in the folder of a project. The file names a toolset, to which it limits clients
// that work on the project. It cannot give a client any tools that the client's configuration entry does not show.
const ProjectFile = ".agent-discover.json"

const (
	maxProjectFile = 4 << 10 // bytes
	maxProjectPath = 1 << 10 // bytes
	maxLevels      = 64      // folders in which FindProject looks, from the given one upwards
)

// Project describes the ProjectFile of the project that a client works on. It is the zero value if no file exists.
type Project struct {
	// Toolset is the toolset that the client is limited to; empty for none.
	Toolset string `json:"toolset,omitempty"`
	// File is the path of the ProjectFile; empty if there is none.
	File string `json:"project,omitempty"`
	// Problem says why the file names no toolset.
	Problem string `json:"project_problem,omitempty"`
}

func (p Project) check() error {
	if p.Toolset != "" {
		if err := toolset.CheckName(p.Toolset); err != nil {
			return err
		}
	}
	for _, text := range []string{p.File, p.Problem} {
		if !utf8.ValidString(text) || len(text) > maxProjectPath {
			return fault.New(fault.Invalid, "invalid project: use at most %d bytes of UTF-8", maxProjectPath)
		}
	}
	return nil
}

// FindProject reads the nearest ProjectFile: the one in folder or, if there is none, in the closest parent folder that
// has one.
func FindProject(folder string) Project {
	if !filepath.IsAbs(folder) {
		return Project{}
	}
	for range maxLevels {
		file := filepath.Join(folder, ProjectFile)
		info, err := os.Stat(file)
		if err == nil {
			return readProject(file, info)
		}
		above := filepath.Dir(folder)
		if above == folder {
			break
		}
		folder = above
	}
	return Project{}
}

func readProject(file string, info fs.FileInfo) Project {
	p := Project{File: file}
	if !utf8.ValidString(file) || len(file) > maxProjectPath {
		p.File = ProjectFile
	}
	data, err := readOwn(file, info)
	if err == nil {
		p.Toolset, err = parseProject(data)
	}
	if err != nil {
		p.Problem = fault.MessageOf(err)
	}
	return p
}

// readOwn reads a small, regular file that belongs to this user.
func readOwn(file string, info fs.FileInfo) ([]byte, error) {
	switch {
	case !info.Mode().IsRegular(): // reading a pipe might never end
		return nil, fault.New(fault.Invalid, "it is not a regular file")
	case !ownedByUser(info):
		return nil, fault.New(fault.Denied, "it belongs to another user")
	case info.Size() > maxProjectFile:
		return nil, fault.New(fault.Invalid, "it is too large: at most %d bytes are read", maxProjectFile)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "it cannot be read")
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxProjectFile))
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "it cannot be read")
	}
	return data, nil
}

// parseProject returns the name of the toolset in data, which is the content of a ProjectFile.
func parseProject(data []byte) (string, error) {
	var in struct {
		Toolset string `json:"toolset"`
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil {
		return "", fault.Wrap(err, fault.Invalid, `it must be a JSON object with the member "toolset" alone`)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return "", fault.New(fault.Invalid, "text follows the JSON object")
	}
	if err := toolset.CheckName(in.Toolset); err != nil {
		return "", err
	}
	return in.Toolset, nil
}
