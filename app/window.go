// Package app is the window: it shows the dashboard in the web view that the operating system brings along.
//
// It is the only importer of Wails. What is bound to the page is only what a page cannot get over HTTP; everything else
// the dashboard asks the hub. Without the build tag production the package compiles on a machine with no desktop, and
// Run returns an error.
package app

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"

	"github.com/agent-discover/agent-discover/frontend"
)

// Title is the name of the product, and what the window's title bar shows.
const Title = "Agent Discover"

// Run opens the window and returns when it was closed. It must be called from the main goroutine.
func Run(version string) error {
	if err := checkDisplay(runtime.GOOS, os.Getenv); err != nil {
		return err
	}
	err := wails.Run(&options.App{
		Title:       Title,
		Width:       640,
		Height:      420,
		MinWidth:    360,
		MinHeight:   240,
		AssetServer: &assetserver.Options{Assets: frontend.Files()},
		Bind:        []any{&Window{version: version}},
		Linux: &linux.Options{
			ProgramName: "agent-discover",
			// A page of text gains nothing from the GPU, and broken drivers leave web views blank.
			WebviewGpuPolicy: linux.WebviewGpuPolicyNever,
		},
	})
	if err != nil {
		return fmt.Errorf("open window: %w", err)
	}
	return nil
}

// checkDisplay says in words what GTK would say with a panic.
func checkDisplay(system string, env func(string) string) error {
	if system == "linux" && env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" {
		return errors.New("there is no display: start it in a desktop session, or set DISPLAY")
	}
	return nil
}
