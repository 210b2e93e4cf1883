package browser

import (
	"context"
	"os"
	"regexp"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/program"
)

// queryMac returns the bundle identifier of the default browser of macOS, or "" if the user has not changed it from Safari.
func queryMac() string {
	cmd, err := program.Command(context.Background(), os.Environ(), "/usr/bin/defaults", "read",
		"com.apple.LaunchServices/com.apple.launchservices.secure", "LSHandlers")
	if err != nil {
		return ""
	}
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return schemeHandler(string(out), "http")
}

var bundleID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]*$`)

// schemeHandler returns the bundle identifier of the program that handles a URL scheme, or "". list is the value of
// LSHandlers as "defaults read" prints it.
func schemeHandler(list, scheme string) string {
	depth, handler, handled := 0, "", ""
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		key, value, _ := strings.Cut(strings.TrimSuffix(line, ";"), " = ")
		switch {
		case strings.HasSuffix(line, "{"):
			if depth++; depth == 1 {
				handler, handled = "", ""
			}
		case strings.HasPrefix(line, "}"):
			if depth--; depth == 0 && handled == scheme && bundleID.MatchString(handler) {
				return handler
			}
		case depth == 1 && key == "LSHandlerRoleAll":
			handler = strings.Trim(value, `"`)
		case depth == 1 && key == "LSHandlerURLScheme":
			handled = strings.Trim(value, `"`)
		}
	}
	return ""
}
