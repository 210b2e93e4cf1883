package main

import (
	"bytes"
	"fmt"

	"github.com/tc-hib/winres"
)

// windowIcon is the resource id from which Wails loads the icon of its windows.
const windowIcon = winres.ID(3)

// windows adds .syso files with the icon and the manifest. The Go linker includes them in Windows programs that import
// the package app.
func (f files) windows(manifest []byte) error {
	icon, err := winres.LoadICO(bytes.NewReader(f["build/icons/icon.ico"]))
	if err != nil {
		return fmt.Errorf("read back icon.ico: %w", err)
	}
	var resources winres.ResourceSet
	if err := resources.SetIcon(windowIcon, icon); err != nil {
		return err
	}
	if err := resources.Set(winres.RT_MANIFEST, winres.ID(1), winres.LCIDDefault, manifest); err != nil {
		return err
	}
	for _, arch := range []winres.Arch{winres.ArchAMD64, winres.ArchARM64} {
		var object bytes.Buffer
		if err := resources.WriteObject(&object, arch); err != nil {
			return err
		}
		f[fmt.Sprintf("app/resources_windows_%s.syso", arch)] = object.Bytes()
	}
	return nil
}
