package main

import (
	"bytes"
	"fmt"

	"github.com/tc-hib/winres"

	"github.com/agent-discover/agent-discover/build/icons/generate/resources"
)

// programIcon is the resource id from which Wails loads the icon of its windows. Explorer shows the first icon.
const programIcon = winres.ID(3)

// windows adds .syso files with the icon, the manifest and a version. The Go linker includes them in Windows
// programs that import their packages; build/icons/generate/stamp replaces the version with that of the build.
func (f files) windows(manifest []byte) error {
	icon, err := winres.LoadICO(bytes.NewReader(f["build/icons/icon.ico"]))
	if err != nil {
		return fmt.Errorf("read back icon.ico: %w", err)
	}
	for _, program := range resources.Programs() {
		var set winres.ResourceSet
		if err := set.SetIcon(programIcon, icon); err != nil {
			return err
		}
		if err := set.Set(winres.RT_MANIFEST, winres.ID(1), winres.LCIDDefault, manifest); err != nil {
			return err
		}
		if err := resources.SetVersion(&set, program, resources.Unknown); err != nil {
			return err
		}
		for _, arch := range []winres.Arch{winres.ArchAMD64, winres.ArchARM64} {
			var object bytes.Buffer
			if err := set.WriteObject(&object, arch); err != nil {
				return err
			}
			f[fmt.Sprintf("%s/resources_windows_%s.syso", program.Folder, arch)] = object.Bytes()
		}
	}
	return nil
}
