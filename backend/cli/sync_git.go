package cli

import (
	"context"
	"os"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	baseprogram "github.com/agent-discover/agent-discover/backend/base/program"
)

// gitFolder is a folder in the work tree of a git repository. The user's own git runs in the user's terminal, with the
// user's credentials.
type gitFolder string

// pull brings the commits of other machines into the folder. Files in the folder that are not committed yet, for example
// because the last synchronization was interrupted, are committed before.
func (f gitFolder) pull(ctx context.Context) error {
	if _, err := f.run(ctx, "rev-parse", "--is-inside-work-tree"); err != nil {
		return fault.New(fault.Invalid, "%s is not in a git repository, or git is not installed; leave out --git, or make a repository there: %s",
			string(f), fault.MessageOf(err))
	}
	if err := f.commit(ctx); err != nil {
		return err
	}
	if remotes, err := f.run(ctx, "remote"); err != nil || remotes == "" {
		return err
	}
	if _, err := f.run(ctx, "fetch", "--quiet"); err != nil {
		return err
	}
	if _, err := f.run(ctx, "rev-parse", "--verify", "--quiet", "@{upstream}"); err != nil {
		return nil // nobody has pushed yet
	}
	if _, err := f.run(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		_, err := f.run(ctx, "merge", "--ff-only", "--quiet", "@{upstream}")
		return err
	}
	_, err := f.run(ctx, "rebase", "--quiet", "--autostash", "@{upstream}")
	if err != nil {
		_, _ = f.run(context.WithoutCancel(ctx), "rebase", "--abort") // fails if the rebase did not begin
		return fault.New(fault.Conflict, "git cannot combine the commits of two machines in %s: %s. Combine them there with "+
			"\"git pull --rebase\", and synchronize once more", string(f), fault.MessageOf(err))
	}
	return nil
}

// commit commits what has changed in the folder, without files that are being written.
func (f gitFolder) commit(ctx context.Context) error {
	if _, err := f.run(ctx, "add", "--all", "--", ".", ":(exclude,glob)**/.*"); err != nil {
		return err
	}
	if _, err := f.run(ctx, "diff", "--cached", "--quiet", "--", "."); err == nil {
		return nil
	}
	host, _ := os.Hostname()
	_, err := f.run(ctx, "commit", "--quiet", "--message", "agent-discover: synchronize "+host, "--", ".")
	return err
}

// push commits what has changed in the folder and pushes it. again reports that another machine has pushed meanwhile.
func (f gitFolder) push(ctx context.Context) (again bool, err error) {
	if err := f.commit(ctx); err != nil {
		return false, err
	}
	remotes, err := f.run(ctx, "remote")
	if err != nil || remotes == "" {
		return false, err
	}
	args := []string{"push", "--quiet", "--porcelain"}
	if _, err := f.run(ctx, "rev-parse", "--verify", "--quiet", "@{upstream}"); err != nil {
		first, _, _ := strings.Cut(remotes, "\n")
		args = append(args, "--set-upstream", first, "HEAD")
	}
	out, err := f.run(ctx, args...)
	if err != nil && (strings.Contains(out, "[rejected]") || strings.Contains(out, "(failed to update ref)")) {
		return true, nil
	}
	return false, err
}

// run runs git in the folder and returns what it wrote. The error contains that, too.
func (f gitFolder) run(ctx context.Context, args ...string) (string, error) {
	env := process.Env(os.Environ()).With("LC_ALL", "C")
	cmd, err := baseprogram.Command(ctx, env, "git", append([]string{"-C", string(f)}, args...)...)
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "git is not installed, or not in the PATH")
	}
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return text, fault.Wrap(err, fault.Failed, "git %s failed: %s", args[0], text)
	}
	return text, nil
}
