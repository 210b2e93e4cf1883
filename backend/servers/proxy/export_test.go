package proxy

import "context"

// Permit is the decision whether a call may be made.
func (p *Proxy) Permit(ctx context.Context, r Request) error {
	_, _, err := p.permit(ctx, &r)
	return err
}
