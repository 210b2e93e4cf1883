package operations

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/process"
)

// TakenPort reports that the hub does not listen on its configured port, and what that means for clients that do not ask
// the hub for a proof of its identity.
type TakenPort struct {
	Port    int         `json:"port" doc:"The configured port."`
	Free    bool        `json:"free,omitempty" doc:"Whether no program uses the port now, so that the hub gets it when it restarts."`
	Holder  *PortHolder `json:"holder,omitempty" doc:"The process that uses the port, as far as the system reports it."`
	Clients []string    `json:"clients,omitempty" doc:"Names of the tokens of MCP clients that connect over HTTP."`
	Summary string      `json:"summary" doc:"The state of the port, in a few words."`
	Problem string      `json:"problem" doc:"The state of the port, and the MCP clients that do not reach the hub."`
	Advice  string      `json:"advice" doc:"The remedy, in sentences."`
}

// PortHolder is a process that uses a port.
type PortHolder struct {
	PID     int    `json:"pid,omitempty" doc:"Missing if the system does not report it, for example of another user."`
	Name    string `json:"name,omitempty" doc:"Name of its program."`
	User    string `json:"user,omitempty" doc:"The user that runs it."`
	Foreign bool   `json:"foreign,omitempty" doc:"Whether it is another user than that of the hub."`
}

// DescribePort returns the state of the configured port of a hub that listens on another one, or that does not run if
// listening is 0; nil if all is well. clients are the names of the tokens for HTTP.
func DescribePort(ctx context.Context, configured, listening int, clients []string) *TakenPort {
	if configured == 0 || configured == listening {
		return nil
	}
	p := &TakenPort{Port: configured, Clients: clients}
	owner, known := process.OwnerOf(ctx, configured)
	if known {
		p.Holder = &PortHolder{PID: owner.PID, Name: owner.Name, User: owner.User, Foreign: owner.Foreign()}
	}
	if p.Free = !known && !answers(ctx, configured); p.Free && listening == 0 {
		return nil
	}
	p.describe(owner, known, listening)
	return p
}

// answers reports whether a program accepts connections at a port. If that cannot be determined, it returns true.
func answers(ctx context.Context, port int) bool {
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err == nil {
		_ = conn.Close()
	}
	return !errors.Is(err, syscall.ECONNREFUSED)
}

func (p *TakenPort) describe(owner process.Listener, known bool, listening int) {
	p.Summary = fmt.Sprintf("port %d is used by another program", p.Port)
	if known {
		p.Summary += " (" + owner.String() + ")"
	}
	clients := fmt.Sprintf("HTTP clients that are configured with port %d", p.Port)
	tokens, token := "", "NAME"
	if len(p.Clients) > 0 {
		tokens = " (" + strings.Join(p.Clients, ", ") + ")"
	}
	if len(p.Clients) == 1 {
		token = p.Clients[0]
	}
	revoke := ": agent-discover token revoke " + token
	switch {
	case p.Free:
		p.Summary = fmt.Sprintf("port %d is free, and the hub does not use it", p.Port)
		p.Problem = fmt.Sprintf("no program uses port %d now, but the hub listens on %d, because it could not use port %d when it started; "+
			"%s do not reach the hub, and may have sent their tokens to another program%s", p.Port, listening, p.Port, clients, tokens)
		p.Advice = "run: agent-discover restart. If a program that is not yours used the port, also revoke the tokens" + revoke
		return
	case listening == 0:
		p.Problem = fmt.Sprintf("%s, so the hub will listen on another one; %s send their tokens to that program", p.Summary, clients)
	default:
		p.Problem = fmt.Sprintf("%s, so the hub listens on %d; %s do not reach the hub and send their tokens to that program%s",
			p.Summary, listening, clients, tokens)
	}
	if p.Holder != nil && p.Holder.Foreign {
		p.Advice = "set another port in config.yaml and in the clients, or have that program ended; then run: agent-discover restart. " +
			"Also revoke the tokens, because another user may have them" + revoke
		return
	}
	p.Advice = "end that program, or set another port in config.yaml and in the clients; then run: agent-discover restart. " +
		"If the program is not yours, also revoke the tokens" + revoke
}
