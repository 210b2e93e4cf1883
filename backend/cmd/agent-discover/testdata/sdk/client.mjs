// client.mjs SDK: connects a client of an official TypeScript SDK to each of the servers on stdin, lists everything, and uses
// what belongs to the server odd: calls its tools, gets its prompts with completions, and reads its resources. Then it makes the
// calls that it is given. It prints a line of JSON for
// everything it did: {at, did, count, failed, error}; count is how many items the server odd has. SDK is the folder of
// @modelcontextprotocol/sdk (1.x) or @modelcontextprotocol/client (2.x).
import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const folder = process.argv[2];
const load = (path) => import(pathToFileURL(`${folder}/dist/${path}`).href);
const two = folder.endsWith('client');
const base = existsSync(`${folder}/dist/esm`) ? 'esm/' : '';
const { Client } = await load(two ? 'index.mjs' : `${base}client/index.js`);
const { StdioClientTransport } = await load(two ? 'stdio.mjs' : `${base}client/stdio.js`);
const { StreamableHTTPClientTransport } = two ? await load('index.mjs') : base ? await load('esm/client/streamableHttp.js') : {};

console.log = console.info = console.debug = console.error;
const say = (row) => process.stdout.write(JSON.stringify(row) + '\n');

async function visit({ at, command, url, token, own, use, calls, modern }) {
  const attempt = async (did, action, mine = () => true) => {
    try {
      const result = await action();
      const items = Array.isArray(result) ? result.filter(mine) : [];
      say({ at, did, count: items.length, failed: result?.isError === true });
      return items;
    } catch (error) {
      say({ at, did, error: String(error?.message ?? error).slice(0, 600) });
      if (/timed out/i.test(error?.message)) process.exit(0); // the client never reads some answers that it refuses
      return [];
    }
  };
  const transport = url
    ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })
    : new StdioClientTransport({ command: command[0], args: command.slice(1), env: process.env, stderr: 'ignore' });
  const options = two ? { versionNegotiation: { mode: modern ? 'auto' : 'legacy' } } : {};
  const client = new Client({ name: 'sdk', version: '1' }, { capabilities: {}, ...options });
  await attempt('connect', () => client.connect(transport));
  const named = ({ name }) => own || name.startsWith('odd__');
  const tools = await attempt('tools/list', async () => (await client.listTools()).tools, named);
  const prompts = await attempt('prompts/list', async () => (await client.listPrompts()).prompts, named);
  const resources = await attempt(
    'resources/list',
    async () => (await client.listResources()).resources,
    ({ uri }) => own || uri.startsWith('odd+'),
  );
  await attempt(
    'resources/templates/list',
    async () => (await client.listResourceTemplates()).resourceTemplates,
    ({ uriTemplate }) => own || uriTemplate.startsWith('odd+'),
  );
  if (use) {
    for (const { name } of tools) await attempt(`tools/call ${name}`, () => client.callTool({ name, arguments: {} }));
    for (const { name } of prompts) {
      await attempt(`prompts/get ${name}`, () => client.getPrompt({ name }));
      const ref = { type: 'ref/prompt', name };
      await attempt(`completion/complete ${name}`, () => client.complete({ ref, argument: { name: 'x', value: '' } }));
    }
    for (const { uri } of resources) await attempt(`resources/read ${uri}`, () => client.readResource({ uri }));
  }
  for (const call of calls ?? []) await attempt(`calls ${JSON.stringify(call)}`, () => client.callTool(call));
  await client.close();
}

for (const server of JSON.parse(readFileSync(0, 'utf8'))) await visit(server);
process.exit(0);
