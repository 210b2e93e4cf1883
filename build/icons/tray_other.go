//go:build !windows

package icons

import "embed"

//go:embed tray/*-light-44.png tray/*-dark-44.png tray/*-any-44.png
var tray embed.FS

const trayFormat = "-44.png"
