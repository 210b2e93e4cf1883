package instance

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

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
	key("RunAtLoad")
	b.WriteString("<true/>\n</dict></plist>\n")
	return b.Bytes()
}

// windowsScript returns a batch file that starts args.
func windowsScript(dir string, env process.Env, args []string) []byte {
	escape := strings.NewReplacer("%", "%%")
	var b bytes.Buffer
	b.WriteString("@echo off\r\nchcp 65001 >nul\r\n")
	for _, kv := range env {
		fmt.Fprintf(&b, "set \"%s\"\r\n", escape.Replace(kv))
	}
	fmt.Fprintf(&b, "cd /d \"%s\"\r\nstart \"\" /b", escape.Replace(dir))
	for _, arg := range args {
		fmt.Fprintf(&b, " \"%s\"", escape.Replace(arg))
	}
	b.WriteString("\r\n")
	return b.Bytes()
}
