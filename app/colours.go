package app

import (
	"fmt"

	"github.com/wailsapp/wails/v2/pkg/options"
)

// The window is there before its page and around it, so it has the page's colours (frontend/src/theme.css).
type colours struct {
	page             options.RGBA
	panel, line, ink string
}

func coloursFor(dark bool) colours {
	if dark {
		return colours{options.RGBA{R: 0x10, G: 0x13, B: 0x16, A: 255}, "#15191d", "#2a3036", "#e6e9ec"}
	}
	return colours{options.RGBA{R: 0xfb, G: 0xfd, B: 0xfd, A: 255}, "#f3f6f8", "#dfe3e6", "#1b2126"}
}

// menuBar is the style sheet of the menu bar on Linux, which continues the page's own bar.
func (c colours) menuBar() string {
	return fmt.Sprintf("menubar { background: %s; color: %s; border-bottom: 1px solid %s; box-shadow: none; }\n"+
		"menubar > menuitem { padding: 4px 8px; }", c.panel, c.ink, c.line)
}
