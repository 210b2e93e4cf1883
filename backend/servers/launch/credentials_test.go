package launch_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

func TestCredentialsInAConfigurationAreFoundAndReplaced(t *testing.T) {
	remote := func(l launch.Launch) launch.Launch { l.Transport = "streamable-http"; return l }
	for name, test := range map[string]struct {
		launch launch.Launch
		want   [][4]string // where, name, value, text with the reference to X
	}{
		"a variable": {launch.Launch{
			Env: pairs{"API_KEY": "abcdefgh", "MODE": "verbose", "B": "ghp_" + "x9Zx9Zx9Zx9Zx9Zx9Zx9Z"},
		}, [][4]string{
			{"env.API_KEY", "API_KEY", "abcdefgh", "${secret:X}"},
			{"env.B", "B", "ghp_x9Zx9Zx9Zx9Zx9Zx9Zx9Z", "${secret:X}"},
		}},
		"arguments": {launch.Launch{
			Args: []string{
				"-y", "pkg", "--token", "abcdefgh", "--api-key=ijklmnop", "-e", "MY_SECRET=qrstuvwx", "https://me:pass-word@host/",
			},
		}, [][4]string{
			{"args[3]", "token", "abcdefgh", "${secret:X}"},
			{"args[4]", "api-key", "ijklmnop", "--api-key=${secret:X}"},
			{"args[6]", "MY_SECRET", "qrstuvwx", "MY_SECRET=${secret:X}"},
			{"args[7]", "args[7]", "https://me:pass-word@host/", "${secret:X}"},
		}},
		"a value that is part of its name": {
			launch.Launch{Args: []string{"--secret=secret"}}, [][4]string{{"args[0]", "secret", "secret", "--secret=${secret:X}"}},
		},
		"headers": {remote(launch.Launch{
			Headers: pairs{"Authorization": "Bearer abcdefgh", "API_KEY": "ijklmnop", "Accept": "text/plain"},
		}), [][4]string{
			{"headers.API_KEY", "headers:API_KEY", "ijklmnop", "${secret:X}"},
			{"headers.Authorization", "Authorization", "Bearer abcdefgh", "${secret:X}"},
		}},
		"variables and arguments of a remote server": {remote(launch.Launch{
			Env: pairs{"TOKEN": "abcdefgh"}, Args: []string{"--token=abcdefgh"},
		}), [][4]string{
			{"env.TOKEN", "env:TOKEN", "abcdefgh", "${secret:X}"},
			{"args[0]", "args:token", "abcdefgh", "--token=${secret:X}"},
		}},
		"a URL": {remote(launch.Launch{URL: "https://me:pass-word@host/mcp?api_key=abc%20defgh&mode=fast&key=ijklmnop#x"}), [][4]string{
			{"url", "url:password", "pass-word", "https://me:${secret:X}@host/mcp?api_key=abc%20defgh&mode=fast&key=ijklmnop#x"},
			{"url", "url:api_key", "abc%20defgh", "https://me:pass-word@host/mcp?api_key=${secret:X}&mode=fast&key=ijklmnop#x"},
			{"url", "url:key", "ijklmnop", "https://me:pass-word@host/mcp?api_key=abc%20defgh&mode=fast&key=${secret:X}#x"},
		}},
		"a token in a path": {remote(launch.Launch{URL: "https://host/s/sk-abcdefghijklmnopqrst/mcp"}), [][4]string{
			{"url", "url:segment", "sk-abcdefghijklmnopqrst", "https://host/s/${secret:X}/mcp"},
		}},
		"none": {launch.Launch{
			URL: "https://host:8443/mcp?mode=fast",
			Env: pairs{
				"API_KEY": "", "AUTH": "off", "A_TOKEN": "${secret:A}", "B_TOKEN": "Bearer ${secret:B}",
				"GOOGLE_CREDENTIALS": "/home/me/key.json", "PRIVATE_KEY_PATH": "keys", "PATH": "/usr/bin",
			},
			Args: []string{
				"--token", "--verbose", "--api-key=${secret:A}", "postgres://me:${secret:B}@host/db", "--port", "8080", "--auth", "off",
				"${secret:TOKEN_OF_MINE}", "x${secret:TOKEN_OF_MINE}",
			},
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if test.launch.Transport == "" {
				test.launch.Transport = "stdio"
			}
			var got [][4]string
			for _, l := range launch.Literals(test.launch) {
				got = append(got, [4]string{l.Where, l.Name, l.Value, l.Text("X")})
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestPlaintextReturnsEachPlaceOnce(t *testing.T) {
	got := launch.Plaintext(pairs{"API_KEY": "abcdefgh"}, []string{"--token", "abcdefgh"}, pairs{"Cookie": "abcdefgh"},
		"https://me:pass-word@host/?token=abcdefgh")
	if want := []string{"env.API_KEY", "args[1]", "headers.Cookie", "url"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := launch.Plaintext(nil, nil, nil, ""); got == nil || len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestLongNamesAreCutBetweenCharacters(t *testing.T) {
	name := launch.Literals(launch.Launch{Env: pairs{"AUTH_TOKEN_" + strings.Repeat("é", 100): "abcdefgh"}})[0].Name
	if !utf8.ValidString(name) || len(name) != 127 {
		t.Errorf("got %q of %d bytes", name, len(name))
	}
}
