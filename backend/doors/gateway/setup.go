package gateway

import "context"

// sync brings in the setup file that the user configured, as they would. A file
// that the agent names is a proposal of the agent.
func (s *Session) sync(ctx context.Context, args arguments) (any, error) {
	if args.File == "" {
		return s.gateway.Setup.Sync(ctx, "")
	}
	return s.gateway.Setup.Propose(ctx, args.File)
}
