package operations

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/market/persona"
)

// Personas holds the operations on personas: folders and archives with the servers and toolsets for a kind of work.
type Personas struct {
	Personas *persona.Personas
}

// Routes adds the operations with their handlers to a route table.
func (o *Personas) Routes(table *route.Table) {
	g := table.Group("personas")
	route.Add(g, route.Get("/api/personas", "List the personas in the folder of personas, and the active ones"), o.list)
	route.Add(g, route.Post("/api/personas/inspect", "Read a persona and report its problems").MayMiss(), o.inspect)
	route.Add(g,
		route.Post("/api/personas/activate",
			"Add the servers and toolsets of a persona; its servers wait for approval").MayMiss().Creates(), o.activate)
	route.Add(g, route.Post("/api/personas/{name}/deactivate",
		"Remove the servers and toolsets that the activation of a persona has added"),
		o.deactivate)
}

// PersonaList lists the personas in the folder of personas, and the active ones.
type PersonaList struct {
	Folder   string                  `json:"folder" doc:"Path of the folder of personas. Each folder and zip archive in it can be a persona."`
	Personas []persona.Persona       `json:"personas" nullable:"false"`
	Active   []persona.ActivePersona `json:"active" nullable:"false"`
}

func (o *Personas) list(ctx context.Context, _ *struct{}) (*route.Reply[PersonaList], error) {
	personas, err := o.Personas.List(ctx)
	if err != nil {
		return nil, err
	}
	active, err := o.Personas.Active(ctx)
	if err != nil {
		return nil, err
	}
	return route.OK(PersonaList{o.Personas.Folder(), personas, append([]persona.ActivePersona{}, active...)})
}

type personaFields struct {
	Path string `json:"path" doc:"Absolute path of a folder or zip archive, or the name of a persona in the folder of personas."`
}

type inspectPersonaInput struct{ route.Object[personaFields] }

func (o *Personas) inspect(ctx context.Context, in *inspectPersonaInput) (*route.Reply[persona.Persona], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	one, err := o.Personas.Read(ctx, body.Path)
	if err != nil {
		return nil, err
	}
	return route.OK(one)
}

type activatePersonaFields struct {
	Path   string  `json:"path" doc:"Absolute path of a folder or zip archive, or the name of a persona in the folder of personas."`
	Hash   string  `json:"hash,omitempty" doc:"Hash of the persona that the person has reviewed. If the persona has changed since, nothing is activated."`
	Client *string `json:"client,omitempty" doc:"Identifier of the editor to equip with the persona's default toolset; empty for all clients without a toolset of their own, missing for none."`
}

type activatePersonaInput struct {
	route.Object[activatePersonaFields]
}

func (o *Personas) activate(ctx context.Context, in *activatePersonaInput) (*route.Reply[persona.ActivePersona], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	active, err := o.Personas.Activate(ctx, body.Path, body.Hash, body.Client)
	if err != nil {
		return nil, err
	}
	return route.Created(active)
}

type personaInput struct {
	Name string `path:"name"`
}

func (o *Personas) deactivate(ctx context.Context, in *personaInput) (*route.Reply[map[string]string], error) {
	if err := o.Personas.Deactivate(ctx, in.Name); err != nil {
		return nil, err
	}
	return statusOnly("deactivated")
}
