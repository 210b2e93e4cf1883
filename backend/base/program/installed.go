package program

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// VersionManagers are the folders of version managers in the home folder, which contain the versions of Node, Python and
// other interpreters to which links on the PATH point.
var VersionManagers = strings.Fields(".asdf .nvm .volta .nodenv .pyenv .rye .rbenv .sdkman .local/share/mise .local/share/fnm " +
	".local/share/rtx .local/share/pnpm/nodejs .local/share/uv/python miniconda3 anaconda3 miniforge3 mambaforge")

// Further folders in which a person installs programs, in the home folder and on the machine.
var (
	inHome = strings.Fields("bin .local/bin .cargo/bin .bun .deno/bin .docker/bin .rd/bin .orbstack/bin .npm-global/bin " +
		".local/state/fnm_multishells .local/share/uv/tools .nix-profile/bin AppData/Local/Programs AppData/Local/Microsoft/WinGet " +
		"AppData/Local/fnm_multishells AppData/Roaming/nvm scoop")
	onMachine = strings.Fields("/usr /bin /sbin /opt /snap /nix /gnu /home/linuxbrew/.linuxbrew /run/current-system /Applications /Library")
	onWindows = strings.Fields("ProgramFiles ProgramFiles(x86) ProgramW6432 ProgramData SystemRoot NVM_SYMLINK")
)

// Installed reports whether a command is a program that the system or the person has installed. It is a name that is
// looked up in PATH, or a path in a folder of PATH, or in one in which package managers install programs. A program in any
// other folder, such as that of a project, may have the name of a known one and be another program.
func Installed(command string) bool {
	if !strings.ContainsAny(command, `/\`) {
		return command != ""
	}
	if !filepath.IsAbs(command) {
		return false
	}
	folders := make([]string, 0, len(onMachine)+len(inHome)+len(VersionManagers))
	if runtime.GOOS == "windows" {
		for _, name := range onWindows {
			if folder := os.Getenv(name); folder != "" {
				folders = append(folders, folder)
			}
		}
	} else {
		folders = append(folders, onMachine...)
	}
	if home, err := os.UserHomeDir(); err == nil {
		for _, names := range [][]string{inHome, VersionManagers} {
			for _, name := range names {
				folders = append(folders, filepath.Join(home, filepath.FromSlash(name)))
			}
		}
	}
	if slices.Contains(filepath.SplitList(os.Getenv("PATH")), filepath.Dir(command)) {
		return true
	}
	for _, folder := range folders {
		if rest, err := filepath.Rel(folder, command); err == nil && filepath.IsLocal(rest) {
			return true
		}
	}
	return false
}
