package confinement

import (
	"fmt"
	"slices"
	"strings"
)

// seatbelt returns the profile with which sandbox-exec enforces a policy on macOS.
// The last rule that matches decides. Apple does not document the language of
// profiles; this is the subset that its own profiles in /System/Library/Sandbox use.
func (p Policy) seatbelt() string {
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
	own := slices.DeleteFunc([]string{p.Private, p.Temporary}, func(path string) bool { return path == "" })
	write := append(slices.Clone(p.Write), own...)
	b.WriteString("(deny file-read*)\n(allow file-read-metadata)\n(allow file-read* (literal \"/\"))\n")
	rule("allow file-read*", slices.Concat(p.Read, write))
	b.WriteString("(deny file-write*)\n(allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\") " +
		"(literal \"/dev/ptmx\") (regex #\"^/dev/ttys[0-9]+$\"))\n")
	rule("allow file-write*", write)
	rule("deny file-read* file-write*", p.Hidden)
	var read []string
	write = nil
	for _, path := range append(slices.Clone(p.Named), own...) { // own folders are in the data folder, which is hidden
		if AnyWithin(p.Hidden, path) {
			read = append(read, path)
			if slices.Contains(p.Write, path) || slices.Contains(own, path) {
				write = append(write, path)
			}
		}
	}
	rule("allow file-read*", read)
	rule("allow file-write*", write)
	b.WriteString("(deny mach-lookup (global-name \"com.apple.SecurityServer\") (global-name \"com.apple.securityd.xpc\") (global-name " +
		"\"com.apple.pasteboard.1\"))\n")
	if p.Network.Restricted {
		b.WriteString("(deny network*)\n")
		for _, port := range p.Network.AllPorts() {
			fmt.Fprintf(&b, "(allow network-outbound (remote tcp \"*:%d\"))\n", port)
		}
		if !p.Network.None() { // a daemon resolves the names of hosts
			b.WriteString("(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n")
		}
	}
	b.WriteString("(deny signal)\n(allow signal (target same-sandbox))\n(deny process-info*)\n" +
		"(allow process-info* (target same-sandbox))\n")
	return b.String()
}
