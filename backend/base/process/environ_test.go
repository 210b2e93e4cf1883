package process

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestTheVariablesOfTheNetworkBelongToTheSession(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows, Clean returns the user's environment")
	}
	passed := []string{
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy", "SSL_CERT_FILE",
		"SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "UV_INDEX_URL", "UV_NATIVE_TLS", "PIP_CERT",
		"PIP_PROXY", "npm_config_proxy", "npm_config_https_proxy", "NPM_CONFIG_NOPROXY", "npm_config_cafile", "LANG", "LC_TIME", "TZ",
	}
	dropped := []string{
		"UV_PUBLISH_TOKEN", "UV_INDEX_INTERNAL_PASSWORD", "UV_INDEX_INTERNAL_USERNAME", "npm_config_prefix", "npm_config__authToken",
		"npm_config_registry", "NPM_TOKEN", "OPENAI_API_KEY", "MY_PROXY",
	}
	for _, name := range append(slices.Clone(passed), dropped...) {
		t.Setenv(name, "value")
	}
	t.Setenv("HTTPS_PROXY", "http://ada:pass@proxy:3128") // a proxy cannot be used without its password
	t.Setenv("PIP_INDEX_URL", "https://ada:pass@index.example/simple")
	for what, env := range map[string]Env{"Clean": Clean(), "Network": Network()} {
		for _, name := range passed {
			ofNetwork := name != "TZ" && !strings.HasPrefix(name, "L")
			if env.Get(name) == "" && (ofNetwork || what == "Clean") {
				t.Errorf("%s: %s is missing", what, name)
			}
		}
		for _, name := range append(dropped, "PIP_INDEX_URL") {
			if env.Get(name) != "" {
				t.Errorf("%s: %s is kept", what, name)
			}
		}
	}
}

func TestAProxyOfTheLoginShellReplacesThatOfTheSessionInBothCases(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not distinguish the cases of names")
	}
	session := Env{"HTTPS_PROXY=http://session", "HTTP_PROXY=http://session", "http_proxy=http://session", "NO_PROXY=a"}
	got := Env{
		"HTTPS_PROXY=http://session", "https_proxy=http://shell", "HTTP_PROXY=http://session", "http_proxy=http://shell", "NO_PROXY=a",
	}.preferring(session)
	want := Env{"https_proxy=http://shell", "HTTP_PROXY=http://session", "http_proxy=http://shell", "NO_PROXY=a"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
