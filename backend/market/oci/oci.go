// Package oci returns the digest of the container image that a name such as registry.example/ada/weather:latest
// refers to, without downloading the image. It runs the user's own tools, skopeo or docker buildx, which know the
// registries and the user's sign-ins. No address of a registry is built in.
package oci

import (
	"context"
	"regexp"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/subprocess"
)

// Registries looks up images in their registries. It is safe for concurrent use.
type Registries struct {
	environment func(context.Context) process.Env
}

// New returns Registries that run their tools in the environment that the function returns.
func New(environment func(context.Context) process.Env) *Registries {
	return &Registries{environment}
}

var (
	digest = regexp.MustCompile(`sha256:[a-f0-9]{64}`)
	// image matches the name of an image. A name cannot begin with a dash, and cannot contain characters of a
	// template or address.
	image = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]*$`)
)

// Digest returns the digest of the image that reference refers to, such as sha256:…. The error is a fault.Unavailable
// if no tool can find it.
func (r *Registries) Digest(ctx context.Context, reference string) (string, error) {
	if !image.MatchString(reference) {
		return "", fault.New(fault.Invalid, "%s is not the name of an image", safetext.Clip(safetext.Visible(reference), 100))
	}
	env := r.environment(ctx)
	var failure error
	for _, command := range [][]string{
		{"skopeo", "inspect", "--no-tags", "--format", "{{.Digest}}", "docker://" + reference},
		{"docker", "buildx", "imagetools", "inspect", "--format", "{{.Manifest.Digest}}", reference},
	} {
		program := env.LookPath(command[0])
		if program == "" {
			continue
		}
		output, err := subprocess.Run(ctx, env, func(string) {}, program, command[1:]...)
		if found := digest.FindString(output); err == nil && found != "" {
			return found, nil
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		failure = fault.Wrap(err, fault.Unavailable, "%s could not find out which image %s leads to: %s",
			command[0], reference, safetext.Clip(safetext.Prose(output), 300))
	}
	if failure == nil {
		failure = fault.New(fault.Unavailable,
			"which image %s leads to cannot be found out without skopeo or docker buildx; a comparison downloads the image", reference)
	}
	return "", failure
}
