package pypi

import "github.com/agent-discover/agent-discover/backend/market/listing"

// Inputs that several servers of one provider share.
var (
	amazon = []input{
		may("AWS_PROFILE", "Profile in the AWS configuration whose credentials are used"),
		may("AWS_REGION", "AWS region, such as eu-central-1"),
	}
	neo4j = []input{
		need("NEO4J_URI", "Address of the database, such as neo4j://localhost:7687"),
		need("NEO4J_USERNAME", "User of the database"),
		secret("NEO4J_PASSWORD", "Password of the user"),
	}
)

// entries are well-known MCP servers on PyPI, with their inputs. A search finds only these and the package with
// exactly the searched name, so each entry is maintained by its provider or widely used.
var entries = []entry{
	{
		name: "mcp-server-fetch", title: "Fetch", purpose: "Fetches web pages and turns them into Markdown",
		keywords: "http url web download",
	},
	{
		name: "mcp-server-git", title: "Git", purpose: "Reads, searches and changes local Git repositories",
		keywords: "version control commit diff branch", inputs: []input{
			option("--repository", listing.Input{
				Description: "Folder of the repository; without it, each call names one", Format: "filepath",
			}),
		},
	},
	{
		name: "mcp-server-time", title: "Time", purpose: "Tells the time and converts it between time zones",
		keywords: "clock date timezone",
		inputs: []input{
			option("--local-timezone", listing.Input{
				Description: "Time zone to use instead of that of the system", Placeholder: "Europe/Berlin",
			}),
		},
	},
	{
		name: "mcp-server-sqlite", title: "SQLite", purpose: "Queries and changes a SQLite database", keywords: "sql database",
		inputs: []input{
			option("--db-path", listing.Input{Description: "File of the database", Format: "filepath", Required: true}),
		},
	},
	{
		name: "postgres-mcp", title: "Postgres MCP Pro", purpose: "Queries PostgreSQL databases, explains plans, and recommends indexes",
		keywords: "postgresql sql database", inputs: []input{
			secret("DATABASE_URI", "Connection string, such as postgresql://user:password@localhost:5432/name"),
			option("--access-mode", listing.Input{
				Description: "Rights of the server in the database", Default: "restricted", Choices: []string{"restricted", "unrestricted"},
			}),
		},
	},
	{
		name: "mysql-mcp-server", program: "mysql_mcp_server", title: "MySQL", purpose: "Lists tables and runs queries on a MySQL database",
		keywords: "mariadb sql", inputs: []input{
			need("MYSQL_HOST", "Host of the database"), may("MYSQL_PORT", "Port, 3306 if it is left out"),
			need("MYSQL_USER", "User of the database"), secret("MYSQL_PASSWORD", "Password of the user"),
			need("MYSQL_DATABASE", "Name of the database"),
		},
	},
	{
		name: "mcp-alchemy", title: "Alchemy", purpose: "Explores and queries any database that SQLAlchemy supports",
		keywords: "sql postgres mysql oracle sqlite", inputs: []input{
			secret("DB_URL", "SQLAlchemy URL, such as sqlite:///path/to/file.db"),
		},
	},
	{
		name: "mcp-clickhouse", title: "ClickHouse", purpose: "Lists databases and runs queries on ClickHouse",
		keywords: "sql analytics database olap", inputs: []input{
			need("CLICKHOUSE_HOST", "Host of the database"), need("CLICKHOUSE_USER", "User of the database"),
			secret("CLICKHOUSE_PASSWORD", "Password of the user"), may("CLICKHOUSE_PORT", "Port, 8443 if it is left out"),
		},
	},
	{
		name: "mcp-server-motherduck", title: "DuckDB and MotherDuck", purpose: "Runs SQL on DuckDB files and MotherDuck databases",
		keywords: "database analytics parquet csv", inputs: []input{
			option("--db-path", listing.Input{
				Description: "File of the database, :memory: or md:", Required: true, Placeholder: ":memory:",
			}),
			maySecret("motherduck_token", "Token of MotherDuck, for md: databases"),
		},
	},
	{
		name: "mcp-server-bigquery", title: "BigQuery", purpose: "Lists tables and runs queries on Google BigQuery",
		keywords: "google sql database analytics", inputs: []input{
			option("--project", listing.Input{Description: "Google Cloud project", Required: true}),
			option("--location", listing.Input{Description: "Location of the data, such as europe-west9", Required: true}),
		},
	},
	{
		name: "redis-mcp-server", title: "Redis", purpose: "Reads, writes and searches data in Redis",
		keywords: "cache database key value vector", inputs: []input{
			option("--url", listing.Input{
				Description: "Address of the database", Required: true, Secret: true, Placeholder: "redis://localhost:6379/0",
			}),
		},
	},
	{
		name: "couchbase-mcp-server", title: "Couchbase", purpose: "Explores and queries Couchbase clusters",
		keywords: "database nosql json",
		inputs: []input{
			need("CB_CONNECTION_STRING", "Connection string of the cluster"), need("CB_USERNAME", "User of the cluster"),
			secret("CB_PASSWORD", "Password of the user"),
		},
	},
	{
		name: "teradata-mcp-server", title: "Teradata", purpose: "Explores, queries and administers Teradata databases",
		keywords: "sql warehouse", inputs: []input{
			secret("DATABASE_URI", "Connection string, such as teradata://user:password@host:1025/name"),
		},
	},
	{
		name: "mcp-neo4j-cypher", title: "Neo4j Cypher", purpose: "Reads the schema of a Neo4j graph and runs Cypher queries",
		keywords: "graph database", inputs: neo4j,
	},
	{
		name: "mcp-neo4j-memory", title: "Neo4j memory", purpose: "Remembers facts and relations in a Neo4j graph",
		keywords: "graph knowledge memory", inputs: neo4j,
	},
	{
		name: "mcp-server-qdrant", title: "Qdrant", purpose: "Stores and finds memories in a Qdrant vector database",
		keywords: "embedding semantic search memory", inputs: []input{
			may("QDRANT_URL", "Address of the database"), maySecret("QDRANT_API_KEY", "API key of the database"),
			may("QDRANT_LOCAL_PATH", "Folder of a local database, instead of an address"), need("COLLECTION_NAME", "Collection to use"),
		},
	},
	{
		name: "chroma-mcp", title: "Chroma", purpose: "Stores and searches documents in a Chroma vector database",
		keywords: "embedding semantic search", inputs: []input{
			option("--client-type", listing.Input{
				Description: "Kind of database", Choices: []string{"ephemeral", "persistent", "http", "cloud"},
			}),
			option("--data-dir", listing.Input{Description: "Folder of a persistent database", Format: "filepath"}),
		},
	},
	{
		name: "mcp-pinecone", title: "Pinecone", purpose: "Reads, writes and searches documents in a Pinecone index",
		keywords: "vector database semantic", inputs: []input{
			option("--index-name", listing.Input{Description: "Index to use", Required: true}),
			option("--api-key", listing.Input{Description: "API key of Pinecone", Required: true, Secret: true}),
		},
	},
	{
		name: "dbt-mcp", title: "dbt", purpose: "Runs dbt commands and answers questions from a dbt project",
		keywords: "data transformation sql warehouse analytics", inputs: []input{
			may("DBT_PROJECT_DIR", "Folder of the project"), may("DBT_PATH", "Path of the dbt program"),
			may("DBT_HOST", "Host of the dbt platform"), maySecret("DBT_TOKEN", "Token of the dbt platform"),
		},
	},
	{
		name: "keboola-mcp-server", program: "keboola_mcp_server", title: "Keboola",
		purpose: "Manages data, transformations and jobs of Keboola projects", keywords: "data pipeline etl", inputs: []input{
			secret("KBC_STORAGE_TOKEN", "Storage token of the project"), may("KBC_STORAGE_API_URL", "Address of the region"),
			may("KBC_WORKSPACE_SCHEMA", "Schema of the workspace"),
		},
	},
	{
		name: "mcp-atlassian", title: "Jira and Confluence", purpose: "Searches, reads and edits Jira issues and Confluence pages",
		keywords: "atlassian ticket wiki project", inputs: []input{
			may("JIRA_URL", "Address of Jira, such as https://company.atlassian.net"),
			may("JIRA_USERNAME", "E-mail address of the account"), maySecret("JIRA_API_TOKEN", "API token of the account"),
			may("CONFLUENCE_URL", "Address of Confluence, such as https://company.atlassian.net/wiki"),
			may("CONFLUENCE_USERNAME", "E-mail address of the account"), maySecret("CONFLUENCE_API_TOKEN", "API token of the account"),
		},
	},
	{
		name: "pagerduty-mcp", title: "PagerDuty", purpose: "Reads and manages incidents, services and schedules of PagerDuty",
		keywords: "alert oncall operations", inputs: []input{
			secret("PAGERDUTY_USER_API_KEY", "API token of the user"),
		},
	},
	{
		name: "logfire-mcp", title: "Logfire", purpose: "Searches traces, exceptions and metrics in Pydantic Logfire",
		keywords: "observability monitoring opentelemetry logs", inputs: []input{
			secret("LOGFIRE_READ_TOKEN", "Read token of the project"),
		},
	},
	{
		name: "awslabs.aws-documentation-mcp-server", title: "AWS documentation", purpose: "Searches and reads the documentation of AWS",
		keywords: "amazon cloud docs",
	},
	{
		name: "awslabs.aws-api-mcp-server", title: "AWS API", purpose: "Runs AWS commands after checking them",
		keywords: "amazon cloud cli", inputs: amazon,
	},
	{
		name: "awslabs.aws-pricing-mcp-server", title: "AWS pricing", purpose: "Looks up prices of AWS services and estimates costs",
		keywords: "amazon cloud cost", inputs: amazon,
	},
	{
		name: "awslabs.aws-diagram-mcp-server", title: "AWS diagrams", purpose: "Draws architecture diagrams from Python code",
		keywords: "amazon cloud graphviz picture",
	},
	{
		name: "awslabs.cloudwatch-mcp-server", title: "AWS CloudWatch", purpose: "Analyses alarms, metrics and logs in CloudWatch",
		keywords: "amazon monitoring observability", inputs: amazon,
	},
	{
		name: "awslabs.dynamodb-mcp-server", title: "AWS DynamoDB", purpose: "Designs data models for DynamoDB and works with tables",
		keywords: "amazon database nosql", inputs: amazon,
	},
	{
		name: "awslabs.eks-mcp-server", title: "AWS EKS", purpose: "Creates and manages Kubernetes clusters on Amazon EKS",
		keywords: "amazon kubernetes container", inputs: amazon,
	},
	{
		name: "awslabs.terraform-mcp-server", title: "Terraform on AWS", purpose: "Helps to write and check Terraform for AWS",
		keywords: "amazon infrastructure code",
	},
	{
		name: "mcp-server-docker", title: "Docker", purpose: "Manages containers, images, volumes and networks of Docker",
		keywords: "container compose",
	},
	{
		name: "workspace-mcp", title: "Google Workspace", purpose: "Works with Gmail, Calendar, Drive, Docs, Sheets and Chat",
		keywords: "google mail email spreadsheet office", inputs: []input{
			need("GOOGLE_OAUTH_CLIENT_ID", "Client ID of an OAuth application"),
			secret("GOOGLE_OAUTH_CLIENT_SECRET", "Client secret of the application"),
		},
	},
	{
		name: "mcp-google-sheets", title: "Google Sheets", purpose: "Reads, writes and formats spreadsheets in Google Sheets",
		keywords: "table office excel", inputs: []input{
			may("SERVICE_ACCOUNT_PATH", "File with the key of a service account"), may("DRIVE_FOLDER_ID",
				"Folder in Google Drive that is shared with it"),
			may("CREDENTIALS_PATH", "File with OAuth credentials, instead of a service account"),
		},
	},
	{
		name: "analytics-mcp", title: "Google Analytics", purpose: "Runs reports and reads settings of Google Analytics",
		keywords: "web statistics traffic", inputs: []input{
			need("GOOGLE_APPLICATION_CREDENTIALS", "File with Google credentials"), may("GOOGLE_PROJECT_ID", "Google Cloud project"),
		},
	},
	{
		name: "excel-mcp-server", title: "Excel", purpose: "Creates, reads and changes Excel workbooks without Excel",
		keywords: "spreadsheet xlsx office table", inputs: []input{always("stdio")},
	},
	{
		name: "office-word-mcp-server", program: "word_mcp_server", title: "Word", purpose: "Creates, reads and changes Word documents",
		keywords: "docx office document",
	},
	{
		name: "office-powerpoint-mcp-server", program: "ppt_mcp_server", title: "PowerPoint",
		purpose: "Creates and changes PowerPoint presentations", keywords: "pptx office slides",
	},
	{
		name: "markitdown-mcp", title: "MarkItDown", purpose: "Turns documents, pictures and web pages into Markdown",
		keywords: "pdf docx convert office",
	},
	{
		name: "mcp-pandoc", title: "Pandoc", purpose: "Converts documents between formats with Pandoc",
		keywords: "pdf docx html markdown latex",
	},
	{
		name: "basic-memory", title: "Basic Memory", purpose: "Keeps notes and their relations in Markdown files on this computer",
		keywords: "memory knowledge obsidian", inputs: []input{always("mcp")},
	},
	{
		name: "mcp-obsidian", title: "Obsidian", purpose: "Reads, searches and edits the notes of an Obsidian vault",
		keywords: "notes markdown knowledge", inputs: []input{
			secret("OBSIDIAN_API_KEY", "API key of the plugin Local REST API"), may("OBSIDIAN_HOST",
				"Host of the plugin, 127.0.0.1 if it is left out"), may("OBSIDIAN_PORT", "Port of the plugin, 27124 if it is left out"),
		},
	},
	{
		name: "zotero-mcp", title: "Zotero", purpose: "Searches and reads a Zotero library",
		keywords: "papers bibliography research citation",
		inputs: []input{
			may("ZOTERO_LOCAL", "true to use the Zotero that runs on this computer"), may("ZOTERO_LIBRARY_ID", "ID of the library"),
			maySecret("ZOTERO_API_KEY", "API key of the Zotero web service"),
		},
	},
	{
		name: "arxiv-mcp-server", title: "arXiv", purpose: "Searches, downloads and reads papers on arXiv",
		keywords: "research science pdf",
		inputs: []input{
			option("--storage-path", listing.Input{Description: "Folder for downloaded papers", Format: "filepath"}),
		},
	},
	{
		name: "mcp-simple-arxiv", title: "Simple arXiv", purpose: "Searches papers on arXiv and reads their abstracts",
		keywords: "research science",
	},
	{
		name: "mcp-simple-pubmed", title: "PubMed", purpose: "Searches and reads medical papers on PubMed",
		keywords: "research medicine science", inputs: []input{
			need("PUBMED_EMAIL", "Your e-mail address, which PubMed asks for"), maySecret("PUBMED_API_KEY", "API key, for more requests"),
		},
	},
	{
		name: "duckduckgo-mcp-server", title: "DuckDuckGo", purpose: "Searches the web with DuckDuckGo and reads the pages",
		keywords: "internet",
	},
	{name: "kagimcp", title: "Kagi", purpose: "Searches the web with Kagi and summarizes pages", keywords: "internet", inputs: []input{
		secret("KAGI_API_KEY", "API key of Kagi"),
	}},
	{
		name: "elevenlabs-mcp", title: "ElevenLabs", purpose: "Turns text into speech, clones voices and transcribes audio",
		keywords: "voice sound tts", inputs: []input{
			secret("ELEVENLABS_API_KEY", "API key of ElevenLabs"),
		},
	},
	{
		name: "minimax-mcp", title: "MiniMax", purpose: "Generates speech, pictures and videos with MiniMax",
		keywords: "voice image media tts", inputs: []input{
			secret("MINIMAX_API_KEY", "API key of MiniMax"), need("MINIMAX_API_HOST", "Address of the API for your region"),
			need("MINIMAX_MCP_BASE_PATH", "Folder for generated files"),
		},
	},
	{
		name: "blender-mcp", title: "Blender", purpose: "Builds and changes scenes in Blender through its add-on",
		keywords: "3d model render",
	},
	{
		name: "jupyter-mcp-server", title: "Jupyter", purpose: "Edits and runs Jupyter notebooks", keywords: "python data science",
		inputs: []input{
			need("DOCUMENT_URL", "Address of the Jupyter server"), secret("DOCUMENT_TOKEN", "Token of the Jupyter server"),
			may("DOCUMENT_ID", "Path of the notebook"), need("RUNTIME_URL", "Address of the Jupyter server that runs the code"),
			secret("RUNTIME_TOKEN", "Token of that server"),
		},
	},
	{
		name: "mcp-shell-server", title: "Shell", purpose: "Runs the shell commands that you allow", keywords: "command terminal bash",
		inputs: []input{
			need("ALLOW_COMMANDS", "Commands that may run, separated by commas"),
		},
	},
	{
		name: "cli-mcp-server", title: "Command line", purpose: "Runs allowed commands in one folder", keywords: "shell terminal bash",
		inputs: []input{
			need("ALLOWED_DIR", "Folder in which commands may run"), may("ALLOWED_COMMANDS", "Commands that may run, separated by commas"),
		},
	},
	{
		name: "mcp-proxy", title: "MCP proxy", purpose: "Offers a remote MCP server over standard input and output",
		keywords: "bridge gateway sse http stdio transport", inputs: []input{
			operand("url", listing.Input{Description: "Address of the remote server, such as https://example.com/sse", Required: true}),
			maySecret("API_ACCESS_TOKEN", "Token that is sent to the remote server"),
		},
	},
	{name: "mcp-text-editor", title: "Text editor", purpose: "Edits parts of text files line by line", keywords: "file code"},
	{name: "mcp-server-calculator", title: "Calculator", purpose: "Calculates exactly", keywords: "math arithmetic number"},
	{
		name: "mcp-nixos", title: "NixOS", purpose: "Looks up packages and options of NixOS, Home Manager and nix-darwin",
		keywords: "linux nix",
	},
	{
		name: "hass-mcp", title: "Home Assistant", purpose: "Reads and controls the devices of Home Assistant",
		keywords: "smart home light automation", inputs: []input{
			need("HA_URL", "Address of Home Assistant, such as http://homeassistant.local:8123"),
			secret("HA_TOKEN", "Long-lived access token"),
		},
	},
	{
		name: "sec-edgar-mcp", title: "SEC EDGAR", purpose: "Reads filings of public companies from SEC EDGAR",
		keywords: "finance stock report", inputs: []input{
			need("SEC_EDGAR_USER_AGENT", "Your name and e-mail address, which the SEC asks for"),
		},
	},
}
