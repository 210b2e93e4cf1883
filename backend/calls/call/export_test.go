package call

import "context"

// Permit resolves a request and returns an error if it must not be made.
func (p *Pipeline) Permit(ctx context.Context, r Request) error { return p.exchange(r).permit(ctx) }
