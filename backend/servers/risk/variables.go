package risk

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// codeVariables match environment variables that change which code a program loads or starts. Systems and programs
// differ in whether case matters, so the match ignores case.
var codeVariables = lazyregexp.New(`(?i)^(?:` +
	`PATH|PATHEXT|COMSPEC|SHELL|SHELLOPTS|BASHOPTS|BASH_ENV|ENV|BASH_FUNC_.*|BASH_LOADABLES_PATH|FPATH|PROMPT_COMMAND|PS4|ZDOTDIR|IFS|CDPATH|` +
	`LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|GLIBC_TUNABLES|NLSPATH|MALLOC_.*|` +
	`NODE_.*|BUN_.*|DENO_.*|ELECTRON_.*|NPM_.*|YARN_.*|PNPM_.*|COREPACK_.*|TS_NODE_.*|TSX_.*|NVM_.*|VOLTA_.*|ASDF_.*|MISE_.*|` +
	`PYTHON.*|PIP_.*|UV_.*|PIPX_.*|POETRY_.*|CONDA_.*|PYENV_.*|VIRTUAL_ENV|` +
	`RUBY.*|RBENV_.*|GEM_.*|BUNDLER?_.*|PERL.*|PHPRC|PHP_INI_SCAN_DIR|COMPOSER_.*|ERL_.*|ELIXIR_.*|MIX_.*|TCLLIBPATH|AWKPATH|AWKLIBPATH|LUA_.*|R_.*|JULIA_.*|` +
	`JAVA_.*|_JAVA_OPTIONS|JDK_.*|(?:IBM|OPENJ9)_JAVA_OPTIONS|CLASSPATH|MAVEN_.*|GRADLE_.*|` +
	`GO(?:FLAGS|PROXY|TOOLCHAIN|PATH|ROOT|ENV|BIN|DEBUG|PRIVATE|NOPROXY|NOSUMDB|SUMDB|INSECURE|AUTH|VCS|WORK|EXPERIMENT|FIPS140|CACHE|MODCACHE|CACHEPROG)|CGO_.*|CARGO_.*|RUST.*|` +
	`DOTNET_.*|COMPLUS_.*|CORECLR_.*|COREHOST_.*|COR_.*|NUGET_.*|MSBUILD.*|MONO_.*|ASPNETCORE_HOSTINGSTARTUPASSEMBLIES|PSMODULEPATH|` +
	`GIT_.*|SSH_.*|SUDO_.*|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|LESS.*|TERMINFO.*|TERM_PROGRAM|` +
	`DOCKER_.*|KUBECONFIG|CC|CXX|CFLAGS|LDFLAGS|MAKEFLAGS|OPENSSL_.*|` +
	`XDG_.*|HOME|USERPROFILE|APPDATA|LOCALAPPDATA|TMPDIR|TEMP|TMP)$`)

// routeVariables match environment variables that change the destination of connections, or the certificates that
// programs trust.
var routeVariables = lazyregexp.New(`(?i)^(?:(?:HTTP|HTTPS|ALL|NO|FTP|SOCKS)_PROXY|.*_PROXY|SSL_CERT_.*|SSLKEYLOGFILE|` +
	`CURL_.*|REQUESTS_CA_BUNDLE|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|HOSTALIASES|RES_OPTIONS|LOCALDOMAIN|` +
	`.*_(?:REGISTRY|INDEX_URL|ENDPOINT_URL))$`)

// Steers reports whether a variable decides which code a program loads, or where its connections go.
func Steers(variable string) bool {
	return codeVariables.MatchString(variable) || routeVariables.MatchString(variable)
}

var assignment = lazyregexp.New(`(?:^|[\s;&|"'(])(?:--env=|-e)?([A-Za-z_][A-Za-z0-9_]*)=`)

// variables warns of variables that steer a program, including those that the
// arguments of env, a shell or a container set.
func (r *report) variables() {
	found := make(map[string][][2]string) // places and parts of the text there, by the name of the variable
	for name := range r.server.Env {
		found[name] = append(found[name], [2]string{"env." + name, ""})
	}
	for i, arg := range r.server.Args {
		for _, assigns := range assignment.FindAllStringSubmatch(arg, -1) {
			found[assigns[1]] = append(found[assigns[1]], [2]string{fmt.Sprintf("args[%d]", i), assigns[1] + "="})
		}
	}
	r.steering(found, Redirects, routeVariables, "can change where connections lead and whom they trust.")
	r.steering(found, Loads, codeVariables, "can change which code is loaded and from where.")
}

func (r *report) steering(found map[string][][2]string, kind string, which *lazyregexp.Regexp, does string) {
	var names, shown []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if which.MatchString(name) && (kind == Redirects || !routeVariables.MatchString(name)) {
			names, shown = append(names, name), append(shown, safetext.Visible(name))
		}
	}
	for _, name := range names {
		for _, at := range found[name] {
			r.add(kind, at[0], at[1], "%s %s", strings.Join(shown, ", "), does)
		}
	}
}
