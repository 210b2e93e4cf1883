// Command stamp writes a version into the resources of the product's programs for Windows: stamp VERSION FILE.exe…
//
// The programs already contain the other resources, which the linker takes from their packages.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tc-hib/winres"

	"github.com/agent-discover/agent-discover/build/icons/generate/resources"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: stamp VERSION FILE.exe…")
		os.Exit(2)
	}
	for _, file := range os.Args[2:] {
		if err := stamp(os.Args[1], file); err != nil {
			fmt.Fprintf(os.Stderr, "stamp %s: %v\n", file, err)
			os.Exit(1)
		}
	}
}

func stamp(version, file string) error {
	name := strings.TrimSuffix(filepath.Base(file), ".exe")
	for _, program := range resources.Programs() {
		if program.Name == name {
			return rewrite(file, func(set *winres.ResourceSet) error { return resources.SetVersion(set, program, version) })
		}
	}
	return fmt.Errorf("not a program of this product")
}

// rewrite changes the resources of a program.
func rewrite(file string, change func(*winres.ResourceSet) error) error {
	program, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	set, err := winres.LoadFromEXE(bytes.NewReader(program))
	if err != nil {
		return err
	}
	if err := change(set); err != nil {
		return err
	}
	var stamped bytes.Buffer
	if err := set.WriteToEXE(&stamped, bytes.NewReader(program)); err != nil {
		return err
	}
	return os.WriteFile(file, stamped.Bytes(), 0o755)
}
