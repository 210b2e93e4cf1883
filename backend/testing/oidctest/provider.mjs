// An OpenID provider on oidc-provider for tests. Arguments: the folder with node_modules, a port (0 for any), and the file
// in which it stores its data ("" for memory). It prints its address. Everybody who asks signs in, as the account in the
// header X-Account.
import { createRequire } from "node:module";
import { createServer } from "node:http";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, port, file] = process.argv.slice(2);
const require = createRequire(folder + "/package.json");
const { default: Provider } = await import(pathToFileURL(require.resolve("oidc-provider")).href);

const data = file && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
const save = () => file && writeFileSync(file, JSON.stringify(data));

class Stored {
  constructor(model) {
    this.model = model;
  }
  key(id) {
    return `${this.model}:${id}`;
  }
  async upsert(id, payload) {
    data[this.key(id)] = payload;
    save();
  }
  async find(id) {
    return data[this.key(id)];
  }
  async findByUid(uid) {
    return Object.entries(data).find(([key, value]) => key.startsWith(this.model + ":") && value.uid === uid)?.[1];
  }
  async findByUserCode() {}
  async consume(id) {
    data[this.key(id)].consumed = Math.floor(Date.now() / 1000);
    save();
  }
  async destroy(id) {
    delete data[this.key(id)];
    save();
  }
  async revokeByGrantId(grantId) {
    for (const key of Object.keys(data)) if (data[key].grantId === grantId) delete data[key];
    save();
  }
}

const server = createServer();
await new Promise((ready) => server.listen(Number(port), "127.0.0.1", ready));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  adapter: Stored,
  clients: [
    {
      client_id: "machine",
      client_secret: "machine-secret-0123456789abcdef",
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
    },
  ],
  cookies: { keys: ["test"] },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  scopes: ["openid", "offline_access", "read", "write"],
  pkce: { required: () => true },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  ttl: { AccessToken: 60, RefreshToken: 3600, Session: 3600, Grant: 3600, Interaction: 600, ClientCredentials: 60 },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    revocation: { enabled: true },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, resource) => ({ scope: "read write", audience: resource, accessTokenTTL: 60, accessTokenFormat: "opaque" }),
    },
  },
});

const issued = {}; // how often tokens were issued, by grant type
provider.on("grant.success", ({ oidc }) => (issued[oidc.params.grant_type] = (issued[oidc.params.grant_type] ?? 0) + 1));

provider.use(async (ctx, next) => {
  if (ctx.path === "/test/token") {
    const token = (await provider.AccessToken.find(ctx.query.value)) ?? (await provider.ClientCredentials.find(ctx.query.value));
    ctx.body = token ? { active: true, account: token.accountId ?? token.clientId, aud: token.aud, scope: token.scope } : { active: false };
  } else if (ctx.path === "/test/issued") {
    ctx.body = issued;
  } else if (ctx.path === "/test/revoke") {
    const token = await provider.AccessToken.find(ctx.query.value);
    if (ctx.query.all) await (await provider.Grant.find(token.grantId)).destroy();
    if (ctx.query.all) for (const model of ["RefreshToken", "AccessToken"]) await new Stored(model).revokeByGrantId(token.grantId);
    else await token.destroy();
    ctx.body = {};
  } else if (ctx.path.startsWith("/interaction/")) {
    const { prompt, params, session, grantId } = await provider.interactionDetails(ctx.req, ctx.res);
    if (prompt.name === "login") {
      await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: ctx.get("X-Account") } });
    } else {
      const grant = grantId ? await provider.Grant.find(grantId) : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
      grant.addOIDCScope(params.scope ?? "");
      grant.addResourceScope(params.resource, params.scope ?? "");
      await provider.interactionFinished(ctx.req, ctx.res, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
    }
    ctx.respond = false;
  } else {
    await next();
  }
});
server.on("request", provider.callback());
process.stdout.write(issuer + "\n");
process.stdin.on("end", () => process.exit(0)).resume();
