package syncfolder

import (
	"maps"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/market/backup"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// launchMembers are the members of a server that the member whole contains in an object.
var launchMembers = []string{"transport", "command", "args", "url"}

// serverObject returns the object of a server whose configuration is portable. secrets are the names of its secrets.
func serverObject(s registry.Server, secrets []string) (Object, error) {
	o, err := objectOf(s)
	if err != nil {
		return nil, err
	}
	delete(o, "approved") // only approved servers are synchronized
	if named, ok := o["package"].(map[string]any); ok {
		if delete(named, "latest"); len(named) == 0 { // each machine looks for updates itself
			delete(o, "package")
		}
	}
	launch := make(map[string]any)
	for _, name := range launchMembers {
		if value, ok := o[name]; ok {
			launch[name] = value
			delete(o, name)
		}
	}
	o[whole] = launch
	if len(secrets) > 0 {
		names := make(map[string]any) // a map, so that names from two machines are no conflict
		for _, name := range secrets {
			names[name] = true
		}
		o["secrets"] = names
	}
	return o, nil
}

// serverOf is the reverse of serverObject.
func serverOf(o Object) (backup.ExportedServer, error) {
	flat := Object{}
	for name, value := range o {
		if slices.Contains(launchMembers, name) || name == "approved" {
			return backup.ExportedServer{}, fault.New(fault.Invalid, "%q is not allowed there", name)
		}
		flat[name] = value
	}
	launch, _ := o[whole].(map[string]any)
	delete(flat, whole)
	secrets, _ := o["secrets"].(map[string]any)
	delete(flat, "secrets")
	for name, value := range launch {
		if !slices.Contains(launchMembers, name) {
			return backup.ExportedServer{}, fault.New(fault.Invalid, "%q is not allowed in %q", name, whole)
		}
		flat[name] = value
	}
	var s backup.ExportedServer
	err := flat.into(&s)
	s.Approved, s.Secrets = true, slices.Sorted(maps.Keys(secrets))
	return s, err
}

type personaFile struct {
	Name  string            `json:"name"`
	Files map[string]string `json:"files"`
}

type settingFile struct {
	Setting string `json:"setting"`
	Value   any    `json:"value"`
}

type approvalsFile struct {
	Server string            `json:"server"`
	Tools  map[string]string `json:"tools"` // hashes of the approved definitions by the names of tools
}

// check returns an error if an object of the folder is not one of its kind, of this name, that this program understands.
func check(key Key, o Object) error {
	var name string
	var err error
	switch key.Kind {
	case Servers:
		var s backup.ExportedServer
		if s, err = serverOf(o); err == nil {
			name, err = s.Name, registry.CheckName(key.Name)
		}
	case Toolsets:
		var t toolset.Toolset
		t, err = toolset.Parse(o.canonical())
		name = t.Name
	case Personas:
		var p personaFile
		if err = o.into(&p); err == nil {
			name, err = p.Name, toolset.CheckName(key.Name)
		}
	case Settings:
		var s settingFile
		if err = o.into(&s); err == nil && !settings.IsShared(key.Name) {
			err = fault.New(fault.Invalid, "there is no setting of this name that machines can share")
		}
		name = s.Setting
	case Approvals:
		var a approvalsFile
		if err = o.into(&a); err == nil {
			name, err = a.Server, registry.CheckName(key.Name)
		}
	}
	switch {
	case err != nil:
		return err
	case name == "":
		return fault.New(fault.Invalid, "it contains no name")
	case name != key.Name:
		return errOtherName
	}
	return nil
}

// errOtherName is returned by check for an object that belongs into another file.
var errOtherName = fault.New(fault.Invalid, "it contains another name")
