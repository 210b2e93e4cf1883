package instance

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/agent-discover/agent-discover/backend/base/process"
)

// launchdJob returns the property list of a job that starts args once.
func launchdJob(label, dir string, env process.Env, args []string) []byte {
	var b bytes.Buffer
	b.WriteString(xml.Header + `<plist version="1.0"><dict>` + "\n")
	key := func(name string) { fmt.Fprintf(&b, "<key>%s</key>", name) }
	text := func(s string) {
		b.WriteString("<string>")
		_ = xml.EscapeText(&b, []byte(s)) // writing to a buffer cannot fail
		b.WriteString("</string>\n")
	}
	key("Label")
	text(label)
	key("WorkingDirectory")
	text(dir)
	key("ProgramArguments")
	b.WriteString("<array>\n")
	for _, arg := range args {
		text(arg)
	}
	b.WriteString("</array>\n")
	key("EnvironmentVariables")
	b.WriteString("<dict>\n")
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		key(name)
		text(value)
	}
	b.WriteString("</dict>\n")
	// Without ProcessType, launchd throttles the job, and with it the servers. Without
	// ThrottleInterval, it delays a start until ten seconds after the previous one.
	key("ProcessType")
	text("Interactive")
	key("ThrottleInterval")
	b.WriteString("<integer>1</integer>\n")
	key("RunAtLoad")
	b.WriteString("<true/>\n</dict></plist>\n")
	return b.Bytes()
}

// namesPassword reports whether the value of any variable is, or may be, a URL with a password.
func namesPassword(env process.Env) bool {
	return slices.ContainsFunc(env, func(kv string) bool {
		_, value, _ := strings.Cut(kv, "=")
		address, err := url.Parse(value)
		if err != nil || address.User == nil {
			return err != nil && strings.Contains(value, "@")
		}
		_, has := address.User.Password()
		return has
	})
}

// launchdCommand returns a command that loads a job and thereby starts it. If the job
// is already loaded, the command only starts it. It does not restart a running job: if
// two processes start the hub at once, the second must not end the hub of the first.
func launchdCommand(domain, label, file string) []string {
	const script = `launchctl bootstrap "$1" "$3" 2>/dev/null || exec launchctl kickstart "$1/$2"`
	return []string{"/bin/sh", "-c", script, "sh", domain, label, file}
}

// systemdCommand returns a command that starts a transient unit. The command contains
// only the names of the variables, because other users can read it; systemd-run takes
// the values from its own environment. Versions of systemd before 248 reject names
// without values.
func systemdCommand(label, dir string, env process.Env, args []string) []string {
	argv := []string{"systemd-run", "--user", "--quiet", "--collect", "--unit=" + label, "--working-directory=" + dir}
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		argv = append(argv, "--setenv="+name)
	}
	return append(append(argv, "--"), args...)
}

// windowsTask returns the definition of a scheduled task that starts args whenever the
// task is run, even on battery power, and that has no time limit. It sets priority 5,
// which is normal for programs; the default for a task is lower.
func windowsTask(dir string, args []string) []byte {
	text := func(s string) string {
		var b bytes.Buffer
		_ = xml.EscapeText(&b, []byte(s)) // writing to a buffer cannot fail
		return b.String()
	}
	var quoted []string
	for _, arg := range args[1:] {
		if strings.ContainsAny(arg, " \t") {
			arg = `"` + arg + `"` // no path on Windows contains quotes
		}
		quoted = append(quoted, arg)
	}
	definition := `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
<Principals><Principal id="Author"><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>
<Settings>
<MultipleInstancesPolicy>Parallel</MultipleInstancesPolicy>
<DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
<StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
<IdleSettings><StopOnIdleEnd>false</StopOnIdleEnd><RestartOnIdle>false</RestartOnIdle></IdleSettings>
<AllowStartOnDemand>true</AllowStartOnDemand>
<Hidden>true</Hidden>
<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
<Priority>5</Priority>
</Settings>
<Actions Context="Author"><Exec><Command>` + text(args[0]) + `</Command><Arguments>` + text(strings.Join(quoted, " ")) +
		`</Arguments><WorkingDirectory>` + text(dir) + `</WorkingDirectory></Exec></Actions>
</Task>
`
	// schtasks reads UTF-16 with a byte order mark.
	encoded := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(definition)) {
		encoded = binary.LittleEndian.AppendUint16(encoded, unit)
	}
	return encoded
}
