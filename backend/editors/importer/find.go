package importer

import (
	"maps"
	"slices"
)

// containers are the keys of the collections of servers in the configurations of clients.
var containers = []string{
	"mcpServers", "mcp_servers", "context_servers", "servers", "mcp", "amp.mcpServers", "mcp.servers", "extensions", "mcp-servers",
}

// deepest is the number of levels below the root that are searched for
// servers.
const deepest = 4

// finder finds the servers in a decoded text.
type finder struct {
	page bool // the text is part of documentation, which also shows the configuration of other programs
}

// servers returns the servers in a value: members of the collections of known
// clients, members of the value, items of a list, or the value itself.
func (f finder) servers(value any, depth int) []rawEntry {
	members, isMap := value.(map[string]any)
	list, isList := value.([]any)
	switch {
	case depth > deepest:
		return nil
	case isList:
		return inList(list, f.likelyAt(depth, true))
	case !isMap:
		return nil
	case isEntry(members) && f.likelyAt(depth, true)(members):
		return []rawEntry{{text(members["name"]), members}}
	}
	var all []rawEntry
	for _, key := range containers {
		all = append(all, f.contained(key, members[key], depth)...)
	}
	if projects, ok := members["projects"].(map[string]any); ok { // Claude Code also keeps servers of single projects
		for _, path := range slices.Sorted(maps.Keys(projects)) {
			all = append(all, f.servers(projects[path], depth+1)...)
		}
	}
	if len(all) > 0 {
		return all
	}
	onlyObjects := true
	for _, member := range members {
		_, object := member.(map[string]any)
		onlyObjects = onlyObjects && object
	}
	if all = inMap(members, f.likelyAt(depth, onlyObjects)); len(all) > 0 {
		return all
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if inner, ok := members[key].(map[string]any); ok {
			all = append(all, f.servers(inner, depth+1)...)
		}
	}
	return all
}

// likelyAt returns a function that reports whether a value outside of the known collections describes a server. If the
// value is in documentation, below the root, or beside other settings, a command or a URL alone may belong to any
// program. Then the entry must have a second field, and only fields that entries of servers have.
func (f finder) likelyAt(depth int, alone bool) func(any) bool {
	return func(value any) bool {
		entry, _ := value.(map[string]any)
		if !isEntry(entry) || !f.page && depth == 0 && alone {
			return isEntry(entry)
		}
		for name := range entry {
			if _, lost := losses[name]; !understood[name] && !lost {
				return false
			}
		}
		return len(entry) > 1
	}
}

// contained returns the servers in a collection such as mcpServers. Every member
// is a server, even an incomplete one, unless it is itself a collection.
func (f finder) contained(key string, value any, depth int) []rawEntry {
	// The keys mcp and extensions also hold settings of another kind.
	is := func(member any) bool {
		_, object := member.(map[string]any)
		return object || key != "mcp" && key != "extensions"
	}
	if list, ok := value.([]any); ok {
		if f.page { // such as the servers of an OpenAPI document, which have no names
			is = func(member any) bool {
				entry, _ := member.(map[string]any)
				return isEntry(entry) && (entry["name"] != nil || first(entry, addresses) == "")
			}
		}
		return inList(list, is)
	}
	members, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	further := make(map[string]any)
	for _, key := range containers {
		if inner, has := members[key]; has && !isEntry(inner) {
			further[key] = inner
		}
	}
	if inner := f.servers(further, depth+1); len(inner) > 0 {
		return inner
	}
	return inMap(members, is)
}

func inList(list []any, is func(any) bool) []rawEntry {
	var all []rawEntry
	for _, item := range list {
		if entry, _ := item.(map[string]any); is(item) {
			all = append(all, rawEntry{text(entry["name"]), entry})
		}
	}
	return all
}

func inMap(members map[string]any, is func(any) bool) []rawEntry {
	var all []rawEntry
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if entry, _ := members[name].(map[string]any); is(members[name]) {
			all = append(all, rawEntry{name, entry})
		}
	}
	return all
}
