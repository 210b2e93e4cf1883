package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// seatbelt returns the profile with which sandbox-exec enforces a policy on macOS.
// The last rule that matches decides. Apple does not document the language of
// profiles; this is the subset that its own profiles in /System/Library/Sandbox use.
func (p policy) seatbelt() string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n")
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	rule := func(what string, paths []string) {
		if len(paths) == 0 {
			return
		}
		b.WriteString("(" + what)
		for _, path := range slices.Compact(slices.Sorted(slices.Values(paths))) {
			b.WriteString("\n  (subpath \"" + quote.Replace(path) + "\")")
		}
		b.WriteString(")\n")
	}
	if !p.readAll {
		b.WriteString("(deny file-read*)\n(allow file-read-metadata)\n(allow file-read* (literal \"/\"))\n")
		rule("allow file-read*", slices.Concat(p.read, p.write))
	}
	b.WriteString("(deny file-write*)\n(allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\") " +
		"(literal \"/dev/ptmx\") (regex #\"^/dev/ttys[0-9]+$\"))\n")
	rule("allow file-write*", p.write)
	rule("deny file-read* file-write*", p.hidden)
	var read, write []string
	for _, path := range p.named {
		if anyWithin(p.hidden, path) {
			read = append(read, path)
			if slices.Contains(p.write, path) {
				write = append(write, path)
			}
		}
	}
	rule("allow file-read*", read)
	rule("allow file-write*", write)
	b.WriteString("(deny mach-lookup (global-name \"com.apple.SecurityServer\") (global-name \"com.apple.securityd.xpc\") (global-name " +
		"\"com.apple.pasteboard.1\"))\n")
	if p.network.restricted {
		b.WriteString("(deny network*)\n")
		for _, port := range p.network.ports {
			fmt.Fprintf(&b, "(allow network-outbound (remote tcp \"*:%d\"))\n", port)
		}
		if !p.network.none() { // a daemon resolves the names of hosts
			b.WriteString("(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n")
		}
	}
	if p.level == registry.Strict {
		b.WriteString("(deny signal)\n(allow signal (target same-sandbox))\n(deny process-info*)\n" +
			"(allow process-info* (target same-sandbox))\n")
	}
	return b.String()
}
