// accept.mjs FOLDER: reads lines of JSON {kind, value}, and prints for each line what the schemas of the TypeScript SDKs in
// FOLDER, which holds packages of npm, refuse: one line of JSON {sdk: error}.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const load = (path) => import(pathToFileURL(`${process.argv[2]}/${path}`).href);
const one = await load('@modelcontextprotocol/sdk/dist/esm/types.js');
const { specTypeSchemas: two } = await load('@modelcontextprotocol/client/dist/index.mjs');
const names = {
  tool: 'Tool', prompt: 'Prompt', resource: 'Resource', 'resource template': 'ResourceTemplate',
  'tools/call': 'CallToolResult', 'prompts/get': 'GetPromptResult', 'resources/read': 'ReadResourceResult',
  'completion/complete': 'CompleteResult',
  serverInfo: 'Implementation', capabilities: 'ServerCapabilities',
};
for await (const line of createInterface({ input: process.stdin })) {
  const { kind, value } = JSON.parse(line);
  const refused = {};
  const first = one[`${names[kind]}Schema`].safeParse(value);
  if (!first.success) refused['TypeScript 1'] = JSON.stringify(first.error.issues[0]);
  const second = two[names[kind]]['~standard'].validate(value);
  if (second.issues) refused['TypeScript 2'] = `${second.issues[0].path?.join('.')} ${second.issues[0].message}`;
  process.stdout.write(JSON.stringify(refused) + '\n');
}
