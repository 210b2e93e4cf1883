package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/coder/websocket"
	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
)

func (c editorCommands) watch() *cobra.Command {
	return &cobra.Command{
		Use: "watch", Short: "Print whether each editor has the entry, and every change until interrupted", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, err := c.p.hub(cmd.Context())
			if err != nil {
				return err
			}
			return c.follow(cmd.Context(), info, instance.NewClient(info))
		},
	}
}

// follow prints a line for each editor, and again whenever the line changes, until ctx is
// cancelled.
func (c editorCommands) follow(ctx context.Context, info instance.Info, client *instance.Client) error {
	conn, _, err := websocket.Dial(ctx, "ws://"+info.Address()+"/ws?tools=none&deltas=changed&questions=none", &websocket.DialOptions{
		HTTPClient: client.HTTP(), HTTPHeader: http.Header{"Authorization": {"Bearer " + info.Token}},
	})
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not subscribe to the hub's events; see: agent-discover doctor")
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(64 << 20)
	printed := make(map[string]string)
	for {
		list, err := statusOfEditors(ctx, client, false)
		if err != nil {
			return err
		}
		for _, e := range list.Editors {
			if line := c.watchLine(e); printed[e.ID] != line {
				printed[e.ID] = line
				c.p.write(line + "\n")
			}
		}
		if err := awaitEditors(ctx, conn); err != nil {
			if ctx.Err() != nil {
				return nil // an interrupt is the normal end
			}
			return fault.Wrap(err, fault.Unavailable, "the hub has stopped; see: agent-discover status")
		}
	}
}

func (c editorCommands) watchLine(e registration.Status) string {
	if c.p.json {
		line, _ := json.Marshal(e) // cannot fail: it was decoded from JSON
		return string(line)
	}
	var files []string
	for _, f := range filesOf(e) {
		files = append(files, strings.TrimSpace(entryState(e, f)+"  "+tilde(f.Path)))
	}
	return safetext.Prose(e.ID + ": " + strings.Join(files, ", "))
}

// awaitEditors waits for the next event about editors.
func awaitEditors(ctx context.Context, conn *websocket.Conn) error {
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			return err
		}
		var message struct{ Type string }
		if json.Unmarshal(data, &message) == nil && message.Type == "editors" {
			return nil
		}
	}
}
