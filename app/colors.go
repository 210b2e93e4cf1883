package app

import (
	"fmt"

	"github.com/wailsapp/wails/v2/pkg/options"
)

// colors are the colours that the window uses around the page, and instead of the page until it is shown. They match
// the colours of the page in frontend/src/theme.css.
type colors struct {
	page             options.RGBA
	panel, line, ink string
}

func colorsFor(dark bool) colors {
	if dark {
		return colors{options.RGBA{R: 0x10, G: 0x13, B: 0x16, A: 255}, "#15191d", "#2a3036", "#e6e9ec"}
	}
	return colors{options.RGBA{R: 0xfb, G: 0xfd, B: 0xfd, A: 255}, "#f3f6f8", "#dfe3e6", "#1b2126"}
}

// menuBar returns the style sheet of the menu bar on Linux, which matches the page's top bar.
func (c colors) menuBar() string {
	return fmt.Sprintf("menubar { background: %s; color: %s; border-bottom: 1px solid %s; box-shadow: none; }\n"+
		"menubar > menuitem { padding: 4px 8px; }", c.panel, c.ink, c.line)
}
