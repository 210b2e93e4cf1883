package setup

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"reflect"
	"regexp"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// maxFile is the maximum size of a setup file in bytes.
const maxFile = 4 << 20

// unnamed is the name that failures show for an entry without a name.
const unnamed = "(unnamed)"

// entry is a server as a setup file declares it.
type entry struct {
	Name         string            `json:"name"`
	Description  string            `json:"description"`
	Transport    string            `json:"transport"`
	Command      string            `json:"command"`
	Args         []string          `json:"args"`
	Env          map[string]string `json:"env"`
	URL          string            `json:"url"`
	Headers      map[string]string `json:"headers"`
	Tags         []string          `json:"tags"`
	Secrets      map[string]string `json:"secrets"`
	AutoActivate bool              `json:"auto_activate"`
	Isolation    string            `json:"isolation"`
	Sandbox      string            `json:"sandbox"`
	Account      string            `json:"account"`
	Dir          string            `json:"cwd"`
	StartTimeout string            `json:"start_timeout"`
	CallTimeout  string            `json:"call_timeout"`

	timeouts registry.Timeouts
	err      error // why the entry cannot be used
}

// local returns the path of the local file that belongs to a setup file, such
// as setup.local.json for setup.json. Users keep servers for one machine in the
// local file. It returns "" if the name of the setup file does not end in
// .json.
func local(file string) string {
	if base, ok := strings.CutSuffix(file, ".json"); ok {
		return base + ".local.json"
	}
	return ""
}

// readFile returns the entries of a setup file, and none for a file that does
// not exist. An error concerns the whole file; it says no more about the content
// than the position of a syntax error.
func readFile(file string) ([]entry, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.Mode().IsRegular() { // reading a pipe or a device may never end
		return nil, fault.New(fault.Invalid, "it is not a regular file")
	}
	if err != nil {
		return nil, unreadable(err)
	}
	opened, err := paths.Open(file)
	if err != nil {
		return nil, unreadable(err)
	}
	defer func() { _ = opened.Close() }()
	data, err := io.ReadAll(io.LimitReader(opened, maxFile+1))
	if err != nil {
		return nil, unreadable(err)
	}
	if len(data) > maxFile {
		return nil, fault.New(fault.Invalid, "it is larger than %d MiB, so it is not a setup file", maxFile>>20)
	}
	return parse(data)
}

// unreadable returns a fault that leaves out the path in err.
func unreadable(err error) error {
	why := err
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		why = e.Err
	}
	return fault.Wrap(err, fault.Unavailable, "could not read it: %s", why)
}

// parse returns the entries in a setup file, which is JSON with comments and
// trailing commas.
func parse(data []byte) ([]entry, error) {
	data, err := hujson.Standardize(bytes.TrimPrefix(data, []byte("\ufeff")))
	if err != nil {
		// The rest of the parser's message may quote the file, which may be any file of the user.
		if at := position.FindString(err.Error()); at != "" {
			return nil, fault.New(fault.Invalid, "it is not valid JSON: %s", at)
		}
		return nil, fault.New(fault.Invalid, "it is not valid JSON")
	}
	var whole struct {
		Servers *[]json.RawMessage `json:"servers"`
	}
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, wrongType(err)
	}
	if whole.Servers == nil {
		return nil, fault.New(fault.Invalid, `it has no list "servers"`)
	}
	entries := make([]entry, 0, len(*whole.Servers))
	for _, raw := range *whole.Servers {
		entries = append(entries, parseEntry(raw))
	}
	return entries, nil
}

var position = regexp.MustCompile(`line \d+, column \d+`)

func parseEntry(raw json.RawMessage) entry {
	var e entry
	err := json.Unmarshal(raw, &e) // after a type error, the other members are set nevertheless
	switch {
	case err != nil:
		e.err = wrongType(err)
	case e.Name == "":
		e.err = fault.New(fault.Invalid, "missing name field")
	default:
		e.err = e.complete()
	}
	e.Name = cmp.Or(e.Name, unnamed)
	return e
}

// complete sets the transport of an entry to the result of registry.TransportFor. It returns an error for an invalid
// transport, isolation, sandbox, account or time limit.
func (e *entry) complete() (err error) {
	if e.Transport, err = registry.TransportFor(e.Transport, e.Command, e.URL); err != nil {
		return err
	}
	if e.timeouts.Start, err = registry.ParseTimeout(e.StartTimeout); err != nil {
		return err
	}
	if e.timeouts.Call, err = registry.ParseTimeout(e.CallTimeout); err != nil {
		return err
	}
	return registry.Server{Isolation: e.Isolation, Sandbox: e.Sandbox, Account: e.Account}.Check() // the folder may begin with a variable
}

// wrongType returns a fault that names a member with a value of the wrong type,
// but does not quote the value.
func wrongType(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return fault.Wrap(err, fault.Invalid, "it is not valid JSON")
	}
	given, _, _ := strings.Cut(wrong.Value, " ") // removes the digits after the word "number"
	return fault.New(fault.Invalid, "%s has a value of type %s, expected %s", cmp.Or(wrong.Field, "it"), given, jsonType(wrong.Type.Kind()))
}

func jsonType(kind reflect.Kind) string {
	switch kind {
	case reflect.Slice:
		return "array"
	case reflect.Map, reflect.Struct:
		return "object"
	case reflect.Bool:
		return "boolean"
	}
	return "string"
}
