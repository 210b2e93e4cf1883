package syncfolder

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/market/backup"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

const (
	placeholderOpen = "${machine:"
	homePlaceholder = placeholderOpen + "home}"
)

func placeholder(place string) string { return placeholderOpen + place + "}" }

// places returns a copy of a server in which change has replaced all texts that may name a path. It gets the place of
// each text, such as command, args.2 or env.DATA.
func places(s registry.Server, change func(place, text string) string) registry.Server {
	list := func(name string, texts []string) []string {
		texts = slices.Clone(texts)
		for i, text := range texts {
			texts[i] = change(fmt.Sprintf("%s.%d", name, i), text)
		}
		return texts
	}
	s.Command, s.Dir, s.Args = change("command", s.Command), change("dir", s.Dir), list("args", s.Args)
	s.Grants.Read, s.Grants.Write = list("read", s.Grants.Read), list("write", s.Grants.Write)
	s.Env = maps.Clone(s.Env)
	for name, text := range s.Env {
		s.Env[name] = change("env."+name, text)
	}
	return s
}

// portable replaces what belongs to this machine in the configuration of a server: its home folder by a placeholder that
// each machine replaces by its own, and other absolute paths by placeholders whose values it returns by their places. A
// text that has such a placeholder in base, the server at the last synchronization, keeps it whatever its value is now.
func portable(s, base registry.Server, home string) (registry.Server, map[string]string) {
	was := make(map[string]string)
	places(base, func(place, text string) string {
		was[place] = text
		return text
	})
	values := make(map[string]string)
	inHome := homePattern(home)
	portable := places(s, func(place, text string) string {
		token := placeholder(place)
		if before, ok := strings.CutSuffix(was[place], token); ok && strings.HasPrefix(text, before) {
			values[place] = strings.TrimPrefix(text, before)
			return was[place]
		}
		for range 2 { // neighbours share a separator, which one match takes
			if inHome != nil {
				text = inHome.ReplaceAllString(text, "${1}"+strings.ReplaceAll(homePlaceholder, "$", "$$")+"${2}")
			}
		}
		if before, path, ok := backup.PathIn(text); ok && !strings.HasPrefix(path, "~/") {
			values[place] = path
			return before + token
		}
		return text
	})
	return portable, values
}

// homePattern matches the home folder where it is a whole path or the beginning of one.
func homePattern(home string) *regexp.Regexp {
	if len(home) < 2 {
		return nil
	}
	return regexp.MustCompile(`(^|[=:,;"' ])` + regexp.QuoteMeta(strings.TrimRight(home, `/\`)) + `($|[/\\:,;"' ])`)
}

// local is the reverse of portable. The value of a placeholder is that of this machine or, if it has none, of the first
// other machine that has one. It returns the places that no machine has a value for.
func local(s registry.Server, home string, machines ...map[string]string) (registry.Server, []string) {
	var missing []string
	s = places(s, func(place, text string) string {
		text = strings.ReplaceAll(text, homePlaceholder, home)
		for _, values := range machines {
			if value, ok := values[place]; ok {
				text = strings.ReplaceAll(text, placeholder(place), value)
				break
			}
		}
		if strings.Contains(text, placeholderOpen) {
			missing = append(missing, place)
		}
		return text
	})
	slices.Sort(missing)
	return s, missing
}

// hasPlaceholder reports whether a server's own configuration looks as if it had placeholders.
func hasPlaceholder(s registry.Server) (has bool) {
	places(s, func(_, text string) string {
		has = has || strings.Contains(text, placeholderOpen)
		return text
	})
	return has
}
