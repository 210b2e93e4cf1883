package pypi

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
)

const (
	maxWheel       = 4 << 20  // bytes; larger wheels are not downloaded to find their programs
	maxEntryPoints = 64 << 10 // bytes
)

// programs returns the programs that a wheel installs, and nil if they are not known. Only the wheel itself names
// them: the JSON document and the metadata of a package do not.
func (c *connection) programs(ctx context.Context, p *project) []string {
	if p.wheel == "" || p.wheelSize <= 0 || p.wheelSize > maxWheel {
		return nil
	}
	data, err := c.http.Bytes(ctx, p.wheel, "*/*", maxWheel)
	if err != nil {
		return nil
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil
	}
	for _, file := range archive.File {
		folder, base, _ := strings.Cut(file.Name, "/")
		if !strings.HasSuffix(folder, ".dist-info") || base != "entry_points.txt" {
			continue
		}
		r, err := file.Open()
		if err != nil {
			return nil
		}
		text, err := io.ReadAll(io.LimitReader(r, maxEntryPoints))
		_ = r.Close() // a reader, so closing cannot lose data
		if err != nil {
			return nil
		}
		return scripts(string(text))
	}
	return []string{}
}

// programName matches valid names of programs.
var programName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// scripts returns the programs in an entry_points.txt, sorted.
func scripts(text string) []string {
	out := []string{}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.Trim(line, "[] ")
			continue
		}
		name, _, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); ok && section == "console_scripts" && programName.MatchString(name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
