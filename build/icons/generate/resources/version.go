// Package resources makes the version resource of the Windows programs, which Explorer and Task Manager show.
package resources

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/tc-hib/winres"
	"github.com/tc-hib/winres/version"
)

// Program is a program of the product.
type Program struct {
	Name        string // name of the file, without extension
	Folder      string // folder of the package that includes the resources
	Description string // shown by Task Manager
}

// Programs returns the programs of the product.
func Programs() []Program {
	return []Program{
		{"agent-discover", "backend/cmd/agent-discover", "Agent Discover Hub"},
		{"agent-discover-desktop", "app", "Agent Discover"},
		{"agent-discover-tray", "app/tray", "Agent Discover Tray"},
	}
}

// Unknown is the version of a program that was built without make.
const Unknown = "dev"

// SetVersion replaces the version resource of a program. text is the version as build/version.sh prints it.
func SetVersion(set *winres.ResourceSet, program Program, text string) error {
	info := version.Info{Type: version.App}
	info.FileVersion = Numbers(text)
	info.ProductVersion = info.FileVersion
	for key, value := range map[string]string{
		version.ProductName: "Agent Discover", version.CompanyName: "Agent Discover", version.FileDescription: program.Description,
		version.InternalName: program.Name, version.OriginalFilename: program.Name + ".exe",
		version.FileVersion: text, version.ProductVersion: text,
	} {
		if err := info.Set(version.LangDefault, key, value); err != nil {
			return fmt.Errorf("version resource: %s: %w", key, err)
		}
	}
	set.SetVersionInfo(info)
	return nil
}

var described = regexp.MustCompile(`^v?(\d+)\.(\d+)\.(\d+)(?:\+(\d+)\.g[0-9a-f]+)?`)

// Numbers returns the four numbers by which Windows compares versions: the three numbers of the version, and how
// many commits follow it.
func Numbers(text string) (numbers [4]uint16) {
	for i, digits := range append(described.FindStringSubmatch(text), "", "")[1:] {
		if n, err := strconv.ParseUint(digits, 10, 16); err == nil && i < len(numbers) {
			numbers[i] = uint16(n)
		}
	}
	return numbers
}
