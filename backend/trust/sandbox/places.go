package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// secretPaths are the files and folders in the home folder that contain
// credentials of the user, or data that other programs keep private. They are
// hidden from confined servers.
var secretPaths = strings.Fields(`
	.ssh .aws .azure .gnupg .kube .docker .netrc _netrc .git-credentials .pypirc .pgpass .my.cnf .vault-token .password-store .pki
	.config/gcloud .config/gh .config/git/credentials .config/op .config/rclone .config/doctl .config/containers/auth.json .config/sops
	.terraform.d .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .gradle/gradle.properties
	.bash_history .zsh_history .python_history .node_repl_history .psql_history .local/share/fish/fish_history
	.mozilla .config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge .config/vivaldi .config/opera
	.local/share/keyrings .local/share/kwalletd .thunderbird .config/1Password .config/Bitwarden .config/keepassxc .electrum .bitcoin .ethereum
	.claude.json .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .cursor/mcp.json .config/Claude .config/github-copilot
	.npmrc .yarnrc .yarnrc.yml .config/pip .pip .cache/huggingface/token .huggingface .databrickscfg .kaggle .config/glab-cli .config/hub .fly
	.config/heroku .s3cfg .ngrok2 .config/ngrok .pulumi/credentials.json .histfile .zhistory .mysql_history .rediscli_history .sqlite_history
	.Xauthority .ICEauthority .librewolf .zen .waterfox .config/Slack .config/Signal .config/discord .config/Code/User/globalStorage
	.local/share/opencode/auth.json .codeium .continue .config/goose .copilot .qwen .kiro
	.mcp-auth .oci .boto .dockercfg .cargo/config.toml .config/composer/auth.json .composer/auth.json .nuget/NuGet/NuGet.Config
	.local/share/uv/credentials .config/age .config/solana .config/stripe .snowflake .putty .config/putty .authinfo .authinfo.gpg .smbcredentials
	.config/Cursor .config/Windsurf .config/VSCodium/User/globalStorage .netlify .vercel .config/configstore .supabase .railway .config/fly
	.config/helm .config/linode-cli .config/scw .config/wakatime .config/neomutt .msmtprc .mbsyncrc .offlineimaprc .fetchmailrc .rclone.conf
	.config/Element .config/signal-desktop .local/share/TelegramDesktop .config/obs-studio .config/remmina .local/share/remmina .config/filezilla
	snap/firefox snap/chromium .var/app/org.mozilla.firefox .var/app/com.google.Chrome .var/app/org.chromium.Chromium
`)

// macSecrets are further secrets in the home folder on macOS.
var macSecrets = strings.Split(`Library/Keychains|Library/Cookies|Library/Mail|Library/Messages|Library/Safari|Library/Application Support/Firefox|`+
	`Library/Application Support/Google/Chrome|Library/Application Support/Chromium|Library/Application Support/BraveSoftware|`+
	`Library/Application Support/Microsoft Edge|Library/Application Support/Claude|Library/Application Support/com.apple.TCC|`+
	`Library/Containers/com.apple.Safari|Library/Group Containers`, "|")

// windowsSecrets are further secrets in the home folder on Windows, below AppData.
var windowsSecrets = strings.Split(`Local/Microsoft/Credentials|Roaming/Microsoft/Credentials|Roaming/Microsoft/Protect|Roaming/Microsoft/Crypto|`+
	`Local/Microsoft/Vault|Roaming/Microsoft/Vault|Roaming/Microsoft/SystemCertificates|Local/Google/Chrome|Local/Chromium|`+
	`Local/BraveSoftware|Local/Microsoft/Edge|Local/Vivaldi|Roaming/Opera Software|Roaming/Mozilla|Local/Mozilla|Roaming/Thunderbird|`+
	`Roaming/Claude|Roaming/Code/User/globalStorage|Roaming/Cursor|Roaming/Windsurf|Roaming/VSCodium/User/globalStorage|Roaming/GitHub CLI|`+
	`Roaming/gcloud|Roaming/gnupg|Roaming/Bitwarden|Local/1Password|Roaming/KeePass|Roaming/KeePassXC|Roaming/Slack|Roaming/Signal|`+
	`Roaming/discord|Roaming/NuGet|Roaming/pip|Roaming/FileZilla|Roaming/rclone|Roaming/Telegram Desktop|Roaming/Subversion/auth|`+
	`Local/Packages|Roaming/postgresql|Local/github-copilot|`+
	`Roaming/Microsoft/Windows/PowerShell/PSReadLine`, "|")

// versionFiles are the files in the home folder in which version managers find the version to use.
var versionFiles = strings.Fields(".config/mise/config.toml .tool-versions .node-version .python-version")

// runtimeSecrets are sockets and folders in XDG_RUNTIME_DIR through which programs reach keyrings and container
// engines.
var runtimeSecrets = strings.Fields("bus keyring gnupg podman docker.sock docker ssh-agent.socket gcr p11-kit systemd")

// systemSecrets are secrets outside of the home folder on Linux. Only root can read most of them.
var systemSecrets = strings.Fields(
	"/etc/shadow /etc/gshadow /etc/sudoers.d /etc/ssl/private /run/docker.sock /run/podman /run/containerd /run/dbus",
)

// place has the folders to which a policy applies, for one user on one machine.
type place struct {
	os      string
	home    string
	dir     string   // folder in which the launch starts
	data    string   // data folder of this program
	runtime string   // XDG_RUNTIME_DIR
	roots   []string // files and folders of the system that only root can read, if this process belongs to root
}

// hidden returns the paths of all secrets, including further ones.
func (p place) hidden(further []string) []string {
	out := slices.Clone(further)
	for _, name := range secretPaths {
		out = append(out, filepath.Join(p.home, filepath.FromSlash(name)))
	}
	if p.os == "darwin" {
		for _, name := range macSecrets {
			out = append(out, filepath.Join(p.home, filepath.FromSlash(name)))
		}
	}
	if p.os == "windows" {
		for _, name := range windowsSecrets {
			out = append(out, filepath.Join(p.home, "AppData", filepath.FromSlash(name)))
		}
	}
	if p.runtime != "" {
		for _, name := range runtimeSecrets {
			out = append(out, filepath.Join(p.runtime, name))
		}
	}
	if p.os == "linux" {
		out = append(append(out, systemSecrets...), p.roots...)
	}
	return append(out, p.data)
}

// onlyRoots returns the files and folders in /etc that only root can read, if this process belongs to root.
func onlyRoots() (paths []string) {
	if os.Geteuid() != 0 {
		return nil
	}
	_ = filepath.WalkDir("/etc", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink != 0 {
			return nil
		}
		readable := fs.FileMode(0o004)
		if entry.IsDir() {
			readable = 0o005
		}
		if info, err := entry.Info(); err == nil && info.Mode()&readable != readable {
			paths = append(paths, path)
			if entry.IsDir() {
				return fs.SkipDir
			}
		}
		return nil
	})
	return paths
}

// system returns the folders of the system that every program reads.
func (p place) system() []string {
	if p.os == "windows" {
		return windowsSystem(os.Getenv)
	}
	if p.os == "darwin" {
		return strings.Fields("/usr /bin /sbin /System /Library /etc /private/etc /private/var/db /private/var/select /opt /dev /var")
	}
	return strings.Fields("/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt /proc /sys /nix /gnu /snap /var/lib/snapd " +
		"/home/linuxbrew/.linuxbrew /run/current-system /var/lib/ca-certificates /var/cache/fontconfig")
}

// windowsSystem returns the folders of Windows and of the programs that are installed for all users.
func windowsSystem(variable func(string) string) (folders []string) {
	for _, name := range []string{"SystemRoot", "ProgramFiles", "ProgramFiles(x86)", "ProgramW6432"} {
		if folder := variable(name); filepath.IsAbs(folder) && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	return folders
}

// outside returns the files of the system that links in its folders name, and that are elsewhere.
func (p place) outside() (files []string) {
	for _, link := range []string{"/etc/resolv.conf", "/etc/localtime", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl/certs"} {
		if target, err := filepath.EvalSymlinks(link); err == nil && !confinement.AnyWithin(p.system(), target) {
			files = append(files, target)
		}
	}
	return files
}

// expand replaces ~ at the beginning of a path by the home folder.
func (p place) expand(path string) string {
	if path == "~" {
		return p.home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(p.home, rest)
	}
	return filepath.Clean(path)
}

// expandAll is expand for several paths.
func (p place) expandAll(paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, path := range paths {
		out = append(out, p.expand(path))
	}
	return out
}

// real returns a path without symbolic links, as far as it exists.
func real(path string) string {
	path = filepath.Clean(path)
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	if _, err := os.Lstat(path); err == nil { // a broken link, or one that may not be followed
		return path
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(real(parent), filepath.Base(path))
}

func reals(paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, path := range paths {
		out = append(out, real(path))
	}
	return out
}
