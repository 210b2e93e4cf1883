package autostart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

// desktopFile returns an XDG autostart file. TryExec makes desktops ignore the file silently if the program was removed.
func desktopFile(e Entry) []byte {
	// A program is escaped first by the rules for arguments in the key Exec, and then by the rules for all values.
	value := strings.NewReplacer(`\`, `\\`).Replace
	argument := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", "$", `\$`, "%", "%%").Replace
	var b bytes.Buffer
	b.WriteString("[Desktop Entry]\nType=Application\n")
	fmt.Fprintf(&b, "Name=%s\n", value(e.Title))
	b.WriteString("Comment=Shows and controls the MCP servers of your AI editors\n")
	fmt.Fprintf(&b, "Exec=%s %s\n", value(`"`+argument(e.Program)+`"`), Flag)
	fmt.Fprintf(&b, "TryExec=%s\n", value(e.Program))
	b.WriteString("Icon=agent-discover\nTerminal=false\nStartupNotify=false\nX-GNOME-Autostart-enabled=true\n")
	return b.Bytes()
}

// desktopFileOn reports whether an autostart file is enabled. Desktops disable it with a key in the file.
func desktopFileOn(data []byte) bool {
	on, section := true, ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = line
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.ToLower(strings.TrimSpace(value))
		if section != "[Desktop Entry]" {
			continue
		}
		if key == "Hidden" && value == "true" || key == "X-GNOME-Autostart-enabled" && value == "false" {
			on = false
		}
	}
	return on
}

// launchAgent returns the property list of a launchd job that starts once in each graphical login.
func launchAgent(e Entry) []byte {
	text := func(s string) string {
		var b bytes.Buffer
		_ = xml.EscapeText(&b, []byte(s)) // writing to a buffer cannot fail
		return b.String()
	}
	var b bytes.Buffer
	b.WriteString(xml.Header + `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">` +
		"\n")
	b.WriteString("<plist version=\"1.0\"><dict>\n")
	fmt.Fprintf(&b, "<key>Label</key><string>%s</string>\n", text(e.ID))
	fmt.Fprintf(&b, "<key>ProgramArguments</key><array><string>%s</string><string>%s</string></array>\n", text(e.Program), Flag)
	b.WriteString("<key>RunAtLoad</key><true/>\n<key>LimitLoadToSessionType</key><string>Aqua</string>\n")
	b.WriteString("<key>ProcessType</key><string>Interactive</string>\n</dict></plist>\n")
	return b.Bytes()
}

// jobDisabled reports whether the output of launchctl print-disabled lists a job as disabled. Older systems print
// true instead of disabled.
func jobDisabled(out []byte, id string) bool {
	for line := range strings.Lines(string(out)) {
		label, state, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if ok && label == `"`+id+`"` {
			return state == "disabled" || state == "true"
		}
	}
	return false
}

// runValue returns the command line for the registry key Run. The path needs no escaping, because Windows does not allow
// quotes in paths.
func runValue(e Entry) string { return `"` + e.Program + `" ` + Flag }

// runValueOn reports whether a value of the registry key Run is enabled. approved is the value of the same name under
// StartupApproved; its first byte is odd if the user has disabled the program in the system's settings.
func runValueOn(approved []byte) bool { return len(approved) == 0 || approved[0]&1 == 0 }
