package proposals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/federation"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/marketplace"
	"github.com/agent-discover/agent-discover/backend/market/plan"
)

// Proposal is a server that an agent proposes to install.
type Proposal struct {
	Source string // official, npm, pypi, or registry for all of them
	Name   string // an ID, SOURCE:NAME, or the name in the source
	Server string // name of the server; empty for one derived from Name
	Inputs map[string][]string
	Client string // client in which the agent runs, shown to the person who approves
}

// Reply is the answer to a proposal.
type Reply struct {
	// Status is already_registered, inputs_required, preparing, installing, waiting_for_approval or installed.
	Status   string   `json:"status"`
	Server   string   `json:"server"`
	Source   string   `json:"source,omitempty"`
	ID       string   `json:"id,omitempty"`
	Version  string   `json:"version,omitempty"`
	Command  string   `json:"command,omitempty"`
	Args     []string `json:"args,omitempty"`
	URL      string   `json:"url,omitempty"`
	Inputs   []Input  `json:"inputs,omitempty"`   // inputs that are missing
	Optional []Input  `json:"optional,omitempty"` // optional inputs
	Secrets  []string `json:"secrets,omitempty"`  // names of secrets that a person has to enter
	NextStep string   `json:"next_step,omitempty"`
}

// Input is a value that a server needs.
type Input struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Type        string   `json:"type,omitempty"` // number, boolean or filepath; empty for text
	Choices     []string `json:"choices,omitempty"`
	Default     string   `json:"default,omitempty"`
	Several     bool     `json:"several,omitempty"` // the value may be an array of several values
	Problem     string   `json:"problem,omitempty"` // what is wrong with the given value
}

const (
	source      = "registry" // means all sources in the API of the original product
	maxOptional = 10
	maxAlike    = 10
)

// Propose installs a server for an agent, or makes it wait for approval, depending on the setting agents.install.
func (p *Proposals) Propose(ctx context.Context, a Proposal) (Reply, error) {
	if err := p.options.Policy().Refusal("install servers", "add "+line(a.Name, 200)+" in the dashboard"); err != nil {
		return Reply{}, err
	}
	id, err := p.identify(ctx, a)
	if err != nil {
		return Reply{}, err
	}
	choice := marketplace.Choice{ID: id, Name: a.Server, Answers: a.Inputs, SecretsLater: true}
	made, reply, err := p.plan(ctx, choice)
	if err != nil || reply.Status != "" {
		return reply, err
	}
	choice.Option = made.Option.ID
	return p.install(ctx, choice, made, a.Client)
}

// identify returns the ID of the listing that an agent names. A name without a source means an entry of the official
// registry, where each namespace has a verified owner. Anybody can publish a package with a confusingly similar name,
// so packages need a source. Other names are refused with the IDs that they may stand for; see plainName.
func (p *Proposals) identify(ctx context.Context, a Proposal) (string, error) {
	if of, _, ok := listing.SplitID(a.Name); ok && isSource(of) {
		return a.Name, nil
	}
	if isSource(a.Source) {
		return a.Source + ":" + a.Name, nil
	}
	answer, err := p.options.Market.Search(ctx, federation.Query{Text: a.Name, Limit: maxLimit, Wait: searchWait})
	if err != nil {
		return "", err
	}
	var ids, alike []string
	for _, r := range answer.Results {
		for _, id := range r.IDs {
			switch of, name, _ := listing.SplitID(id); {
			case name == a.Name && of == listing.Official:
				return id, nil
			case name == a.Name:
				ids = append(ids, line(id, 300))
			case plainName(name) == plainName(a.Name):
				alike = append(alike, line(id, 300))
			}
		}
	}
	if len(ids) == 0 { // at most as many as a model reads, the best first
		ids = alike[:min(len(alike), maxAlike)]
	}
	if len(ids) == 0 {
		return "", fault.New(fault.NotFound, "the marketplace has no server named %q%s; search for it with the action browse, or name a command",
			line(a.Name, 300), unanswered(answer))
	}
	slices.Sort(ids)
	return "", fault.New(fault.Invalid, "name the server by its id, as browse returns it: %s", strings.Join(ids, ", "))
}

// unanswered names the sources that did not answer, each with the reason, as the end of a sentence about a search.
func unanswered(found federation.Answer) string {
	var missing []string
	for _, s := range found.Sources {
		if s.Problem != "" {
			missing = append(missing, s.Source+" did not answer: "+line(s.Problem, 300))
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return " (" + strings.Join(missing, "; ") + ")"
}

// plainName returns the part of a listing's name by which people call the server: filesystem for
// @modelcontextprotocol/server-filesystem and for io.github.acme/filesystem-mcp.
func plainName(name string) string {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	for _, word := range []string{"mcp", "server", "mcp"} {
		name = strings.TrimSuffix(strings.TrimPrefix(name, word+"-"), "-"+word)
	}
	return name
}

// plan returns the complete plan for a choice, or a reply if there is none yet.
func (p *Proposals) plan(ctx context.Context, c marketplace.Choice) (*plan.Plan, Reply, error) {
	made, err := p.options.Market.Plan(ctx, c)
	if err != nil {
		return nil, Reply{}, err
	}
	if err := p.refuse(made, c); err != nil {
		return nil, Reply{}, err
	}
	if reply, known, err := p.known(made); known {
		return nil, reply, err
	}
	if made.Unresolved == plan.File || made.Unresolved == plan.Digest {
		switch ended, err := p.prepare(ctx, c); {
		case err != nil:
			return nil, Reply{}, err
		case !ended:
			return nil, Reply{
				Status: "preparing", Server: made.Name, Source: source, ID: made.ID,
				NextStep: "its download goes on, and what it needs is known afterwards; repeat this call in a moment",
			}, nil
		}
		if made, err = p.options.Market.Plan(ctx, c); err != nil {
			return nil, Reply{}, err
		}
		if err := p.refuse(made, c); err != nil {
			return nil, Reply{}, err
		}
	}
	if len(made.Unanswered()) > 0 && made.Problem == "" {
		return nil, missing(made, c), nil
	}
	return made, Reply{}, made.Check()
}

// refuse returns an error if an agent has answered a question whose answer is a secret.
func (p *Proposals) refuse(made *plan.Plan, c marketplace.Choice) error {
	for _, q := range made.Questions {
		if q.Secret && len(c.Answers[q.Name]) > 0 {
			return fault.New(fault.Invalid,
				"%s is a secret: leave it out, and never ask the user to tell it to you. The user enters it on the page of the server "+
					"in the Agent Discover dashboard", line(q.Name, 100))
		}
	}
	return nil
}

// known returns the reply for a server that is already configured. If another server has the name, it returns an
// error. The bool is false if no server has the name.
func (p *Proposals) known(made *plan.Plan) (Reply, bool, error) {
	s, err := p.options.Registry.Get(made.Name)
	if err != nil {
		return Reply{}, false, nil
	}
	// made.URL is empty while answers are missing.
	same := s.Source == plan.Source && s.Transport != "stdio" && (made.URL == "" || s.URL == made.URL)
	if made.Download != nil {
		same = s.Package.Name == made.Download.Name
	}
	if !same {
		return Reply{}, true, fault.New(fault.Conflict,
			"there is another server with the name %s; choose a name for this one with the argument server", made.Name)
	}
	return Reply{Status: "already_registered", Server: made.Name}, true, nil
}

// prepare makes the download that a plan needs before it is complete. ended reports whether the download has ended.
func (p *Proposals) prepare(ctx context.Context, c marketplace.Choice) (ended bool, err error) {
	job, err := p.options.Market.Prepare(ctx, c)
	if fault.KindOf(err) == fault.Busy { // an earlier call has started it
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, ended, err = p.wait(ctx, job.ID)
	return ended, err
}

// wait waits for a job. It returns false if the job takes longer than Patience.
func (p *Proposals) wait(ctx context.Context, id string) (installer.Result, bool, error) {
	limited, cancel := context.WithTimeout(ctx, p.options.Patience)
	defer cancel()
	result, err := p.options.Market.Wait(limited, id)
	if err != nil && errors.Is(err, limited.Err()) && ctx.Err() == nil {
		return result, false, nil
	}
	return result, true, err
}

// install carries out a plan, or makes it wait for approval.
func (p *Proposals) install(ctx context.Context, c marketplace.Choice, made *plan.Plan, client string) (Reply, error) {
	var secrets []string
	for _, s := range made.Secrets {
		secrets = append(secrets, line(s.Name, 100))
	}
	if len(secrets) > 0 && p.options.Policy().Alone() { // the server would start at once, without the secret
		return Reply{}, fault.New(fault.Denied,
			"%s needs a secret that only the user can enter (%s): ask the user to install it in the Agent Discover dashboard, or with: "+
				"agent-discover market install %s", line(made.ID, 300), strings.Join(secrets, ", "), line(made.ID, 300))
	}
	job, err := p.options.Market.Install(ctx, c, installer.Order{Hash: made.Hash, Unseen: true, ProposedBy: client})
	if err != nil {
		return Reply{}, err
	}
	reply := Reply{
		Status: "installed", Server: made.Name, Source: source, ID: made.ID, Version: made.Version, URL: made.URL, Secrets: secrets,
	}
	if len(made.Command) > 0 {
		reply.Command, reply.Args = made.Command[0], made.Command[1:]
	}
	result, ended, err := p.wait(ctx, job.ID)
	switch {
	case err != nil:
		return Reply{}, err
	case !ended:
		reply.Status, reply.NextStep = "installing", "the installation goes on; call list in a moment to see whether the server is there"
	case result.Waiting:
		reply.Status = "waiting_for_approval"
		reply.NextStep = fmt.Sprintf(
			"the server does not start until a person approves it; ask the user to look at %s in the Agent Discover tray or dashboard "+
				"and to approve it there", made.Name,
		)
	}
	if len(reply.Secrets) > 0 {
		reply.NextStep = strings.TrimPrefix(reply.NextStep+". ", ". ") + "Before it can start, the user enters " +
			strings.Join(reply.Secrets, ", ") +
			" as a secret on the page of the server in the dashboard; never ask for the value"
	}
	return reply, nil
}

// missing returns the reply that lists the missing inputs.
func missing(made *plan.Plan, c marketplace.Choice) Reply {
	r := Reply{
		Status: "inputs_required", Server: made.Name, Source: source, ID: made.ID,
		NextStep: "repeat this call with inputs, an object with a value for each of these names; ask the user for values that you do " +
			"not know",
	}
	if slices.ContainsFunc(made.Questions, func(q plan.Question) bool { return q.Later }) {
		r.NextStep += "; leave out the secrets, which the user enters afterwards on the page of the server in the dashboard"
	}
	for _, q := range made.Questions {
		in := Input{
			Name: line(q.Name, 100), Description: line(q.Description, 200), Type: q.Format, Default: line(q.Default, 200),
			Several: q.Repeated,
		}
		for _, choice := range q.Choices {
			in.Choices = append(in.Choices, safetext.Visible(choice))
		}
		switch {
		case q.Later:
			r.Secrets = append(r.Secrets, in.Name)
		case q.Secret:
		case q.Missing:
			if len(c.Answers[q.Name]) > 0 {
				in.Problem = line(q.Why, 300)
			}
			r.Inputs = append(r.Inputs, in)
		case len(c.Answers[q.Name]) == 0 && len(r.Optional) < maxOptional:
			r.Optional = append(r.Optional, in)
		}
	}
	return r
}
