package pypi

import (
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

func write(t *testing.T, text string, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// indexes returns the addresses of the indexes that the settings in an environment name.
func indexes(t *testing.T, env process.Env) string {
	t.Helper()
	s, err := readSettings(env)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, i := range s.indexes {
		out = append(out, i.url.String())
	}
	return strings.Join(out, " ")
}

func TestSettingsOfUVGoBeforeThoseOfPip(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folders are those of Linux")
	}
	home, system := t.TempDir(), t.TempDir()
	env := process.Env{"HOME=" + home, "XDG_CONFIG_DIRS=" + system}
	expect := func(want string) {
		t.Helper()
		if got := indexes(t, env); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	write(t, "[global]\nindex-url = https://pip-system.example/simple\n", system, "pip", "pip.conf")
	env = append(env, "PIP_EXTRA_INDEX_URL=") // the machine's /etc/pip.conf may set it
	write(t,
		"[global]\nindex-url: https://pip-old.example/simple/\nextra_index_url =\n  https://one.example/simple\n"+
			"  https://two.example/simple\n", home, ".pip", "pip.conf")
	expect("https://one.example/simple https://two.example/simple https://pip-old.example/simple")
	write(t,
		"# mine\n[global]\nIndex-URL = https://pip-user.example/simple\nextra-index-url =\n[install]\n"+
			"index-url = https://pip-install.example/simple\n", home, ".config", "pip", "pip.conf")
	expect("https://pip-install.example/simple")
	env = append(env, "PIP_INDEX_URL=https://pip-env.example/simple")
	expect("https://pip-env.example/simple")
	write(t, "index-url = \"https://uv-system.example/simple\"\n", system, "uv", "uv.toml")
	expect("https://uv-system.example/simple")
	write(t,
		"[[index]]\nname = \"corp\"\nurl = \"https://uv-corp.example/simple\"\n[[index]]\nurl = \"https://hidden.example\"\n"+
			"explicit = true\n[[index]]\nurl = \"https://uv-user.example/simple\"\ndefault = true\n", home, ".config", "uv", "uv.toml")
	expect("https://uv-corp.example/simple https://uv-user.example/simple")
	env = append(env, "UV_DEFAULT_INDEX=main=https://uv-env.example/simple")
	expect("https://uv-corp.example/simple https://uv-env.example/simple")
	env = append(env, "UV_NO_CONFIG=1", "UV_INDEX=https://a.example b=https://b.example/")
	expect("https://a.example https://b.example https://uv-env.example/simple")
	own := write(t, "index-url = 'https://uv-file.example'", home, "own.toml")
	env = process.Env{"HOME=" + home, "UV_CONFIG_FILE=" + own}
	expect("https://uv-file.example")
	env = process.Env{
		"HOME=" + home, "UV_NO_CONFIG=true",
		"PIP_CONFIG_FILE=" + write(t, "[global]\nindex-url=https://pip-file.example", home, "own.conf"),
	}
	expect("https://pip-file.example")
	env[2] = "PIP_CONFIG_FILE=" + os.DevNull
	expect("")
}

func TestBadSettingsAreNamedWithoutTheirValues(t *testing.T) {
	home := t.TempDir()
	for name, env := range map[string]process.Env{
		"a file URL": {"HOME=" + home, "PIP_CONFIG_FILE=" + os.DevNull, "UV_NO_CONFIG=1", "UV_DEFAULT_INDEX=file:///s3cr3t"},
		"no URL":     {"HOME=" + home, "PIP_CONFIG_FILE=" + os.DevNull, "UV_NO_CONFIG=1", "PIP_INDEX_URL=user:s3cr3t@x"},
		"TOML":       {"HOME=" + home, "UV_CONFIG_FILE=" + write(t, "index-url = \"https://u:s3cr3t@x\" oops", home, "uv.toml")},
		"a folder":   {"HOME=" + home, "UV_CONFIG_FILE=" + home},
	} {
		if _, err := readSettings(env); fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestCredentialsComeFromNetrcToo(t *testing.T) {
	home := t.TempDir()
	write(t,
		"# comment\nmachine other.example login x password y\nmachine pypi.example\n  login me\n  password s3cr3t\n"+
			"machine last.example login z password z\n", home, ".netrc")
	s, err := readSettings(process.Env{
		"HOME=" + home, "UV_NO_CONFIG=1", "PIP_CONFIG_FILE=" + os.DevNull, "UV_DEFAULT_INDEX=https://pypi.example/simple",
	})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"https://pypi.example/pypi/x/json": basic("me", "s3cr3t"), "http://pypi.example/x": "", "https://other.example/x": "",
		"https://pypi.example:8443/x": "",
	} {
		u, _ := url.Parse(address)
		if got := s.authorize(u); got != want {
			t.Errorf("%s: got %q", address, got)
		}
	}
}

func TestProxyAndTrustComeFromTheSettings(t *testing.T) {
	s, err := readSettings(process.Env{
		"HOME=" + t.TempDir(), "UV_NO_CONFIG=1", "PIP_CONFIG_FILE=" + os.DevNull, "PIP_PROXY=http://proxy.example:1",
		"PIP_TRUSTED_HOST=a.example:8443 b.example", "UV_INSECURE_HOST=https://c.example",
	})
	if err != nil {
		t.Fatal(err)
	}
	o, err := s.options()
	if err != nil {
		t.Fatal(err)
	}
	target, _ := url.Parse("https://x.example")
	if u, err := o.Proxy(target); err != nil || u == nil || u.Host != "proxy.example:1" {
		t.Errorf("got %v, %v", u, err)
	}
	for host, want := range map[string]bool{"a.example": true, "b.example": true, "c.example": true, "x.example": false} {
		if o.Insecure(host) != want {
			t.Errorf("%s: trusted without a check: %t", host, !want)
		}
	}
}

func TestTheNewestVersionIsFinal(t *testing.T) {
	for want, all := range map[string][]string{
		"1.10": {"1.9", "1.10", "1.2"}, "2.0.post1": {"2.0", "2.0.post1", "2.1rc1", "2.1.dev1"},
		"1!0.1": {"9.0", "1!0.1"}, "2026.1.2": {"2025.12.31", "2026.1.2"}, "": {"1.0a1", "x", "1.0;id"},
	} {
		if got := newest(all); got != want {
			t.Errorf("%q: got %q, want %q", all, got, want)
		}
	}
	if !slices.Equal(versionKey("1.0"), versionKey("1.0.0")) {
		t.Error("1.0 and 1.0.0 differ")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("[global]\nindex-url = x\n  y\n[a\n=\n:b\n c")
	f.Fuzz(func(_ *testing.T, text string) { parse(text) })
}
