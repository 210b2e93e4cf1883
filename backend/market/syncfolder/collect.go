package syncfolder

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/market/backup"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// side is what this machine has.
type side struct {
	objects Objects
	apart   map[Key]string               // objects that are not synchronized, and why
	values  map[string]map[string]string // of placeholders, by server and place
}

func (s *side) add(key Key, o Object, err error) {
	if err == nil {
		err = check(key, o)
	}
	if err != nil {
		s.apart[key] = fault.MessageOf(err)
		return
	}
	s.objects[key] = o
}

// collect returns the objects of this machine.
func (k *Keeper) collect(ctx context.Context, base Objects) (*side, error) {
	export, err := k.options.Backup.Export(ctx, "")
	if err != nil {
		return nil, err
	}
	s := &side{objects: make(Objects), apart: make(map[Key]string), values: make(map[string]map[string]string)}
	for _, server := range export.Servers {
		s.addServer(server, base[Key{Servers, server.Name}], k.options.Home)
	}
	for _, data := range export.Toolsets {
		t, err := toolset.Parse(data)
		if err != nil {
			return nil, err
		}
		o, err := decodeObject(data)
		s.add(Key{Toolsets, t.Name}, o, err)
	}
	k.addPersonas(s, export.Personas, base)
	tools := make(map[string]map[string]string)
	for _, a := range export.Approvals {
		if tools[a.Server] == nil {
			tools[a.Server] = make(map[string]string)
		}
		tools[a.Server][a.Tool] = a.Hash
	}
	for server, approved := range tools {
		o, err := objectOf(approvalsFile{server, approved})
		s.add(Key{Approvals, server}, o, err)
	}
	return s, k.addSettings(s)
}

func (s *side) addServer(server backup.ExportedServer, base Object, home string) {
	key := Key{Servers, server.Name}
	switch {
	case !server.Approved:
		s.apart[key] = "it waits for your approval; to approve it: agent-discover servers approve " + server.Name
		return
	case hasPlaceholder(server.Server):
		s.apart[key] = "its configuration contains " + placeholderOpen + ", which stands for values of single machines in the folder"
		return
	}
	var was registry.Server
	if base != nil {
		known, _ := serverOf(base) // after an error, nothing is known
		was = known.Server
		server.Secrets = append(slices.Clone(server.Secrets), known.Secrets...) // names of secrets that are only set on other machines
		slices.Sort(server.Secrets)
	}
	plain, values := portable(server.Server, was, home)
	if len(values) > 0 {
		s.values[server.Name] = values
	}
	o, err := serverObject(plain, slices.Compact(server.Secrets))
	s.add(key, o, err)
}

func (k *Keeper) addPersonas(s *side, personas []backup.ExportedPersona, base Objects) {
	for _, p := range personas {
		key, place := Key{Personas, p.Name}, k.options.Personas.Place(p.Name)
		info, err := os.Stat(place)
		switch {
		case p.Files == nil:
			s.apart[key] = "its files cannot be read, or contain credentials"
		case err != nil || !info.IsDir() || p.Active != nil && p.Active.Path != place:
			s.apart[key] = "it is not a folder in " + k.options.Personas.Folder()
		default:
			o, err := objectOf(personaFile{p.Name, p.Files})
			s.add(key, o, err)
		}
	}
	for key := range base {
		if key.Kind != Personas || s.objects[key] != nil || s.apart[key] != "" {
			continue
		}
		if _, err := os.Lstat(k.options.Personas.Place(key.Name)); err == nil { // it was not deleted
			s.apart[key] = "its files cannot be read, or contain credentials"
		}
	}
}

func (k *Keeper) addSettings(s *side) error {
	data, err := k.options.Settings.Read()
	if err != nil {
		return err
	}
	values, apart, err := settings.Shared(data)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(apart)) {
		s.apart[Key{Settings, name}] = apart[name]
	}
	for name, value := range values {
		s.add(Key{Settings, name}, Object{"setting": name, "value": value}, nil)
	}
	return nil
}

// jsonText returns a value for a person to read; "" for nil.
func jsonText(value any) string {
	if value == nil {
		return ""
	}
	if text, ok := value.(string); ok {
		return text
	}
	data, _ := json.Marshal(value) // cannot fail: JSON was decoded to value
	return string(data)
}
