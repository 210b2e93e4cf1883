package call

import "context"

// Permit is the decision whether a call may be made.
func (p *Pipeline) Permit(ctx context.Context, r Request) error { return p.exchange(r).permit(ctx) }
