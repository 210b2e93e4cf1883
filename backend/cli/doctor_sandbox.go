package cli

import "github.com/agent-discover/agent-discover/backend/trust/sandbox"

// checkSandbox reports how far this system can confine servers.
func checkSandbox() finding {
	text, complete := sandbox.Describe(sandbox.ThisProgram())
	return finding{
		What: "sandbox", OK: complete, Detail: text,
		Advice: "servers with the sandbox level strict do not start here; see SECURITY.md for what each system enforces",
	}
}
