package updates

import (
	"maps"
	"slices"

	"github.com/agent-discover/agent-discover/backend/market/installer"
)

// merge returns the configuration of a server for another version. The parameter now is the current configuration of
// the server. The parameters from and to are the configurations with which the current version was installed and the
// other version would be installed. Changes that a person has made since the installation are kept; notes lists those
// that cannot be kept.
func merge(now, from, to installer.Configured) (out installer.Configured, notes []string) {
	if from.Transport == "" {
		from = now // without a record, no changes by a person can be found
	}
	out = to
	out.Env, out.Headers = mergeTexts(now.Env, from.Env, to.Env), mergeTexts(now.Headers, from.Headers, to.Headers)
	keep := func(what, now, from, to string) string {
		switch {
		case now == from:
			return to
		case from == to:
			return now
		}
		notes = append(notes, "The "+what+" was changed by hand. The new version replaces it.")
		return to
	}
	out.Command, out.URL = keep("command", now.Command, from.Command, to.Command), keep("address", now.URL, from.URL, to.URL)
	args, fits := mergeArgs(now.Args, from.Args, to.Args)
	if out.Args = args; !fits {
		notes = append(notes, "The arguments were changed by hand. The new version replaces them.")
	}
	return out, notes
}

// mergeTexts merges variables or headers. It returns a copy of to with the changes that a person has made between from
// and now.
func mergeTexts(now, from, to map[string]string) map[string]string {
	out := maps.Clone(to)
	if out == nil {
		out = make(map[string]string)
	}
	for name, text := range now {
		if before, installed := from[name]; !installed || before != text {
			out[name] = text
		}
	}
	for name, text := range from {
		if _, kept := now[name]; !kept && to[name] == text {
			delete(out, name)
		}
	}
	return out
}

// mergeArgs merges arguments. If a person has changed them, it replaces only those that differ between the versions,
// such as the package with its version. If that is not possible, it returns to and false.
func mergeArgs(now, from, to []string) ([]string, bool) {
	if slices.Equal(now, from) || slices.Equal(now, to) {
		return to, true
	}
	if slices.Equal(from, to) {
		return now, true
	}
	if len(from) != len(to) {
		return to, false
	}
	out := slices.Clone(now)
	for i := range from {
		if from[i] == to[i] {
			continue
		}
		at := slices.Index(now, from[i])
		if at < 0 || slices.Contains(now[at+1:], from[i]) {
			return to, false
		}
		out[at] = to[i]
	}
	return out, true
}
