package installer

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/market/subprocess"
)

// programs runs package managers and container engines. It is safe for concurrent use.
type programs struct {
	environment func(context.Context) process.Env

	mu      sync.Mutex
	digests []pulled // of images that findDigest has downloaded; guarded by mu
}

// run runs a program in the environment of servers and returns the last part of its output.
func (p *programs) run(ctx context.Context, report func(line string), name string, args ...string) (string, error) {
	env := p.environment(ctx)
	path := env.LookPath(name)
	if path == "" {
		return "", fault.New(fault.Unavailable, "%q was not found on the login shell's PATH", name)
	}
	output, err := subprocess.Run(ctx, env, report, path, args...)
	switch {
	case err == nil:
		return output, nil
	case ctx.Err() != nil:
		return output, ctx.Err()
	}
	if output == "" {
		output = err.Error()
	}
	return output, fault.Wrap(err, fault.Failed, "%s failed: %s", strings.Join(append([]string{name}, args[:min(len(args), 1)]...), " "),
		output)
}

// pulled is the digest of a downloaded image.
type pulled struct{ reference, digest string }

const maxDigests = 50

// digest returns the digest that noteDigest has remembered for an image, or "".
func (p *programs) digest(reference string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range slices.Backward(p.digests) {
		if one.reference == reference {
			return one.digest
		}
	}
	return ""
}

// noteDigest remembers the digest of a downloaded image.
func (p *programs) noteDigest(reference, digest string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.digests = append(p.digests, pulled{reference, digest}); len(p.digests) > maxDigests {
		p.digests = slices.Delete(p.digests, 0, 1)
	}
}

// reference returns the reference with which the image of a plan is downloaded.
func reference(d *plan.Download) string {
	switch {
	case d.Version == "":
		return d.Name
	case strings.HasPrefix(d.Version, "sha256:"):
		return d.Name + "@" + d.Version
	}
	return d.Name + ":" + d.Version
}

// engine returns the program that runs the containers of a plan.
func engine(p *plan.Plan) string {
	if p.Server.Command != "" {
		return p.Server.Command
	}
	return p.Option.Program
}

// pull downloads an image. If the machine did not have it before, undoing the steps removes it.
func (i *Installer) pull(ctx context.Context, j *job, engine, reference string, steps *undo) error {
	had, _ := i.programs.hasImage(ctx, engine, reference) // if the engine does not work, the pull below returns the error
	if had && strings.Contains(reference, "@") {          // the image of a digest never changes
		return nil
	}
	if !had {
		if err := i.leftovers.mark(ctx, steps, Leftover{Kind: LeftImage, Engine: engine, Image: reference}, nil); err != nil {
			return err
		}
	}
	_, err := i.programs.run(ctx, j.line, engine, "pull", reference)
	return err
}

// hasImage reports whether a container engine has an image. It returns an error if the engine cannot answer, for
// example because its daemon is not running.
func (p *programs) hasImage(ctx context.Context, engine, reference string) (bool, error) {
	output, err := p.run(ctx, func(string) {}, engine, "image", "inspect", "--format", "{{.Id}}", reference)
	if err != nil && missingImage.MatchString(output) {
		return false, nil
	}
	return err == nil, err
}

// missingImage matches the errors of Docker and Podman for an image that they do not have.
var missingImage = regexp.MustCompile(`(?i)no such (image|object)|image not known`)

var repoDigest = regexp.MustCompile(`(?m)^(\S+)@(sha256:[a-f0-9]{64})\s*$`)

// findDigest downloads the image of a plan by its tag and remembers its digest.
func (i *Installer) findDigest(ctx context.Context, j *job, p *plan.Plan, steps *undo) error {
	tagged := reference(p.Download)
	if err := i.pull(ctx, j, engine(p), tagged, steps); err != nil {
		return err
	}
	output, err := i.programs.run(ctx, func(string) {}, engine(p), "image", "inspect", "--format",
		"{{range .RepoDigests}}{{println .}}{{end}}", tagged)
	if err != nil {
		return err
	}
	for _, found := range repoDigest.FindAllStringSubmatch(output, -1) {
		if strings.HasSuffix("/"+found[1], "/"+p.Download.Name) || strings.HasSuffix("/"+p.Download.Name, "/"+found[1]) {
			i.programs.noteDigest(tagged, found[2])
			return nil
		}
	}
	return fault.New(fault.Failed, "%s does not say which digest the image %s has, so its version cannot be pinned", engine(p), tagged)
}

// step runs a command of a plan. Undoing the steps removes the folder that the command fills, unless it existed
// before.
func (i *Installer) step(ctx context.Context, j *job, p *plan.Plan, step plan.Step, steps *undo) error {
	if folder := packageFolder(i.options.Machine.Packages, p.Server.Command); folder != "" {
		if _, err := os.Lstat(folder); err != nil {
			if err := i.leftovers.mark(ctx, steps, Leftover{Kind: LeftFolder, Path: folder}, nil); err != nil {
				return err
			}
		}
	}
	_, err := i.programs.run(ctx, j.line, step.Command[0], step.Command[1:]...)
	return err
}

// packageFolder returns the folder directly below packages that contains a server's program, or "" if the program is
// elsewhere.
func packageFolder(packages, command string) string {
	relative, err := filepath.Rel(packages, filepath.FromSlash(command))
	if packages == "" || err != nil || !filepath.IsLocal(relative) {
		return ""
	}
	first, rest, _ := strings.Cut(relative, string(filepath.Separator))
	if rest == "" {
		return ""
	}
	return filepath.Join(packages, first)
}
