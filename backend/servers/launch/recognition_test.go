package launch_test

import (
	"slices"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

func TestCredentialsAreRecognizedByNameShapeAndPlace(t *testing.T) {
	for _, row := range []struct {
		launch launch.Launch
		want   []string // places
	}{
		{
			launch.Launch{
				Env: pairs{"DB_PASS": "hunter22", "SMTP_PASS": "hunter22", "dbPass": "hunter22"},
			}, []string{"env.DB_PASS", "env.SMTP_PASS", "env.dbPass"},
		},
		{
			launch.Launch{
				Env: pairs{"WEBHOOK": "https://hooks.slack.com/services/T0" + "0000000/B00000000/abcdefghijklmnop"},
			}, []string{"env.WEBHOOK"},
		},
		{
			launch.Launch{
				Env: pairs{"NOTIFY": "https://discord.com/api/webhooks/123456789/abcdefghijklmnopqrstuvwxyz"},
			}, []string{"env.NOTIFY"},
		},
		{launch.Launch{Env: pairs{"BOT": "1234567890:AA" + "HdqTcvCH1vGWJxfSeofSAs0K5PALDsawx"}}, []string{"env.BOT"}},
		{launch.Launch{Env: pairs{"DATABASE": "Server=db;User Id=sa;Password=hunter22;Encrypt=true"}}, []string{"env.DATABASE"}},
		{
			launch.Launch{
				Env: pairs{"STORAGE": "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=abcdefgh=="},
			}, []string{"env.STORAGE"},
		},
		{
			launch.Launch{
				Args: []string{"Password=hunter22;Server=x", "--connection", "Host=x;Pwd=hunter22"},
			}, []string{"args[0]", "args[2]"},
		},
		{launch.Launch{Transport: "sse", URL: "https://mcp.zapier.com/api/mcp/s/YWJjZGVmZ2hpamtsbW5vcA==/mcp"}, []string{"url"}},
		{launch.Launch{Transport: "sse", URL: "https://hooks.zapier.com/hooks/catch/123456/abcdefg/"}, []string{"url"}},
		{launch.Launch{Transport: "sse", URL: "https://h.example/mcp?code=abcdefgh&sig=ijklmnop"}, []string{"url"}},
		{launch.Launch{Transport: "sse", URL: "https://h.example/s/aB3dE5gH7jK9mN1pQ3sT5vW7/mcp"}, []string{"url"}},
		{
			launch.Launch{
				Args: []string{
					"mcp-remote", "https://h.example/mcp?api_key=abcdefgh", "--header", "X-Api-Key: abcdefgh", "--header",
					"Authorization:Basic abcdefgh",
				},
			}, []string{"args[1]", "args[3]", "args[5]"},
		},
		{launch.Launch{Args: []string{"-e", "SERVICE=aB3dE5gH7jK9mN1pQ3sT5vW7xY9z"}}, []string{"args[1]"}},
		{
			launch.Launch{
				Env: pairs{"SERVICE": "aB3dE5gH7jK9mN1pQ3sT5vW7xY9z", "SEED": "0123456789abcdef0123456789abcdef"},
			}, []string{"env.SEED", "env.SERVICE"},
		},
		{launch.Launch{Env: pairs{"ENDPOINT": "https://h.example/v1?access_token=abcdefgh"}}, []string{"env.ENDPOINT"}},
		{
			launch.Launch{
				Env: pairs{
					"A": "shpat_0123456789abcdef0123456789abcdef",
					"B": "tvly-abcdefghijklmnopqrstuvwx", "C": "xapp-1-ABCDEFGHIJ-abcdefghijklmnop",
				},
			}, []string{"env.A", "env.B", "env.C"},
		},
	} {
		if got := launch.Plaintext(row.launch.Env, row.launch.Args, row.launch.Headers, row.launch.URL); !slices.Equal(got, row.want) {
			t.Errorf("%v: got %q, want %q", row.launch, got, row.want)
		}
	}
}

// ordinary are settings of published servers that are not credentials, although some look like credentials.
var ordinary = launch.Launch{
	Env: pairs{
		"GITHUB_HOST": "https://github.example.com", "AWS_REGION": "eu-central-1", "AWS_PROFILE": "your-aws-profile",
		"FASTMCP_LOG_LEVEL": "ERROR", "NODE_ENV": "production", "SLACK_TEAM_ID": "T01ABCDEF2G", "SLACK_CHANNEL_IDS": "C01234567,C76543210",
		"NOTION_VERSION": "2022-06-28", "OPENAI_MODEL": "gpt-4o-mini-2024-07-18", "DATABASE_URI": "postgresql://localhost:5432/mydb",
		"REDIS_URL": "redis://127.0.0.1:6379/0", "QDRANT_URL": "https://xyz-example.eu-central.aws.cloud.qdrant.io:6333",
		"GOOGLE_PROJECT_ID": "my-project-123456", "TENANT_ID": "0a1b2c3d-4e5f-6789-abcd-ef0123456789",
		"CLIENT_ID": "9f8e7d6c-5b4a-3210-fedc-ba9876543210", "AIRTABLE_BASE_ID": "appAbCdEfGhIjKlMn",
		"GIT_COMMIT_SHA": "0123456789abcdef0123456789abcdef01234567", "IMAGE_DIGEST": "sha256:0123456789abcdef0123456789abcdef",
		"MAX_TOKENS": "128000", "TOKEN_LIMIT": "4096x", "TIMEOUT_MS": "300000", "PYTHONPATH": "/home/me/projects/My-Server_2/src",
		"ALLOWED_DIRECTORIES": "/home/me/Documents,/tmp/Work2024", "TZ": "America/Argentina/Buenos_Aires", "LANGUAGE": "en_US.UTF-8",
		"USER_AGENT": "Mozilla/5.0", "SEARCH_ENGINE_ID": "017576662512468239146:omuauf_lfve", "COMPASS": "north-by-north",
		"BYPASS_CACHE": "always", "KEYBOARD_LAYOUT": "german", "MONKEY_PATCHING": "disabled", "AUTHOR": "someone",
		"JDBC_URL": "jdbc:postgresql://db:5432/app", "KUBECONFIG": "/home/me/.kube/config", "FEATURES": "account,docs,database,branching",
		"MEMORY_FILE_PATH": "/home/me/.config/Claude/memory-2024-11-22T10-15-30.jsonl", "JAVA_HOME": "/usr/lib/jvm/java-21-openjdk-amd64",
		"CHROME_PATH": "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe", "NUXT_MODULES": "@nuxtjs/tailwindcss,@nuxt/image",
		"SITE":  "https://my-site.atlassian.net/wiki/spaces/ABC/pages/123456789/Some+Page+Title",
		"SHEET": "https://docs.example.com/v2/Users/Me/items?limit=100&sort=createdAt",
	},
	Args: []string{
		"-y", "@modelcontextprotocol/server-filesystem@2025.8.21", "/home/me/Library/Application Support/Claude",
		"--project-ref=abcdefghijklmnopqrst", "--read-only", "--api-version", "2024-10-01-preview", "--from",
		"git+https://github.com/oraios/serena@0123456789abcdef0123456789abcdef01234567", "ghcr.io/github/github-mcp-server:v0.20.1",
		"--mount", "type=bind,src=/Users/me/Desktop,dst=/projects/Desktop", "mcp-remote", "https://mcp.linear.app/sse",
		"--transport=http-only", "http://localhost:3000/mcp", "-e", "GITHUB_TOOLSETS=repos,issues,pull_requests", "--allowed-origins",
		"https://example.com;https://api.example.com", "--user-data-dir=/home/me/.cache/ms-playwright/mcp-chrome-profile2",
		"arn:aws:bedrock:us-east-1:123456789012:knowledge-base/ABCDEFGHIJ", "--headers-from-file",
		"awslabs.aws-documentation-mcp-server@latest",
	},
}

func TestOrdinarySettingsAreNoCredentials(t *testing.T) {
	if got := launch.Plaintext(ordinary.Env, ordinary.Args, nil, ""); len(got) > 0 {
		t.Errorf("taken for credentials: %q", got)
	}
	for _, address := range []string{
		"https://mcp.linear.app/sse", "https://api.githubcopilot.com/mcp/x/pull_requests/readonly",
		"https://server.smithery.ai/@upstash/context7-mcp/mcp", "https://mcp.notion.com/mcp", "https://knowledge-mcp.global.api.aws",
		"https://mcp.eu-west-1.example.com/v2/workspaces/0a1b2c3d-4e5f-6789-abcd-ef0123456789/mcp",
		"https://gitmcp.io/modelcontextprotocol/TypeScript-SDK2025",
		"https://example.com/mcp?features=docs,search&project_ref=abcdefghijklmnopqrst&read_only=true",
	} {
		if got := launch.Plaintext(nil, nil, nil, address); len(got) > 0 {
			t.Errorf("%s is taken for a credential", address)
		}
	}
}
