package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
)

// given returns the values of --set and --set-file by key.
func (c editorCommands) given(f importFlags) (map[string]string, error) {
	values := make(map[string]string)
	for _, pair := range f.values {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, usagef("--set %q must have the form KEY=VALUE", key)
		}
		values[key] = value
	}
	for _, pair := range f.valueFiles {
		key, file, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, usagef("--set-file %q must have the form KEY=FILE", key)
		}
		text, err := c.readText(file)
		if err != nil {
			return nil, err
		}
		values[key] = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	return values, nil
}

// askFor asks on the terminal for the values that a bundle needs and that no flag gives, so that
// nobody has to write a credential into a command.
func (c editorCommands) askFor(ctx context.Context, questions []importer.Question, values map[string]string) error {
	for _, q := range questions {
		if !q.Required || cmp.Or(values[q.Key], q.Default) != "" {
			continue
		}
		prompt := safetext.Visible(cmp.Or(q.Title, q.Key)) + ": "
		if q.Secret {
			value, err := c.p.readSecret(ctx, prompt)
			if err != nil {
				return err
			}
			values[q.Key] = value
			continue
		}
		_, _ = fmt.Fprint(c.p.prompting().out, prompt)
		line, _ := bufio.NewReader(c.p.in).ReadString('\n')
		if line = strings.TrimSpace(line); line == "" {
			return fault.New(fault.Invalid, "nothing was entered; nothing was changed")
		}
		values[q.Key] = line
	}
	return nil
}
