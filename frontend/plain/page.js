// What a page may show it asks for itself: a ticket in the address is exchanged for a token, which lives as long as
// this tab; the WebSocket gets a ticket of its own. Everything that comes from servers is set as text, never as HTML.

const shownCalls = 50;
const longestWait = 15_000; // ms between two attempts

const inWindow = window.go?.app?.Window; // it knows the hub and lets in; a browser page is at the hub, and needs a ticket
let hub = { url: "", token: "" }; // of the window

const part = (id) => document.getElementById(id);
const servers = new Map(); // by name, in the hub's order
let wait = 500;

function say(text, state) {
  part("link").textContent = text;
  part("link").dataset.state = state;
}

function explain(title, text, command = "agent-discover open") {
  const [heading, paragraph] = part("notice").children;
  heading.textContent = title;
  paragraph.textContent = text;
  part("advice").firstElementChild.textContent = command;
  part("notice").hidden = false;
}

// takeTicket returns the ticket of the address and removes it from there: an address is shown, kept and shared.
function takeTicket() {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  if (location.hash) history.replaceState(null, "", location.pathname);
  return ticket;
}

class Refused extends Error {}

async function ask(method, path, body) {
  const token = hub.token || sessionStorage.getItem("token");
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(hub.url + path, { method, headers, body: body && JSON.stringify(body) });
  const value = await answer.json();
  if (answer.status === 401) throw new Refused(value.error);
  if (!answer.ok) throw new Error(value.error);
  return value;
}

async function enter() {
  if (inWindow) return join(inWindow.Connect);
  const ticket = takeTicket();
  if (ticket) {
    try {
      const { token, session } = await ask("POST", "/api/session", { ticket });
      sessionStorage.setItem("token", token);
      sessionStorage.setItem("session", session);
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      if (!sessionStorage.getItem("token")) return lock("This address does not work any more", "It lets one page in, once and within 30 seconds. Get a new one with:");
    }
  }
  return follow();
}

// join asks the window for the hub, which is another one after a restart.
async function join(how) {
  try {
    hub = await how();
  } catch (problem) {
    say("Not connected", "off");
    explain("Not connected", String(problem));
    part("start").hidden = false;
    return again();
  }
  part("start").hidden = true;
  part("docs").href = `${hub.url}/docs`;
  return follow();
}

// lock shows what to do to come in; nothing of the hub stays on the page.
function lock(title, text) {
  sessionStorage.removeItem("token");
  sessionStorage.removeItem("session");
  servers.clear();
  part("hub").hidden = true;
  part("calls").replaceChildren();
  part("version").textContent = "";
  say("Not connected", "off");
  explain(title, text);
}

// isOurs reports whether what answers here knows this page's session: another program may have taken the hub's port,
// and must not be sent the token. How that is proven says the comment of Hello in backend/base/instance.
async function isOurs() {
  const text = new TextEncoder();
  const hash = await crypto.subtle.digest("SHA-256", text.encode(sessionStorage.getItem("token")));
  const key = await crypto.subtle.importKey("raw", hash, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const nonce = Array.from(crypto.getRandomValues(new Uint8Array(32)), (b) => b.toString(16).padStart(2, "0")).join("");
  const answer = await fetch(`/hello?nonce=${nonce}&session=${encodeURIComponent(sessionStorage.getItem("session"))}`);
  const hello = await answer.json();
  const said = ["agent-discover", "session", `127.0.0.1:${location.port}`, nonce, hello.nonce].join("\n");
  const proof = Uint8Array.from((hello.session_proof ?? "").match(/../g) ?? [], (b) => parseInt(b, 16));
  return crypto.subtle.verify("HMAC", key, proof, text.encode(said));
}

async function follow() {
  try {
    if (sessionStorage.getItem("token") && !(await isOurs())) throw new Refused();
    const { ticket } = await ask("POST", "/api/tickets", { purpose: "socket" });
    listen(ticket);
  } catch (problem) {
    if (problem instanceof Refused && inWindow) return later(problem.message);
    if (problem instanceof Refused && sessionStorage.getItem("token")) return lock("The hub does not know this page any more", "The page was not used for long, or another program has taken the hub's place. Come in again with:");
    if (problem instanceof Refused) return lock("This page needs a ticket", "So that no other program or page can come in, it is opened by:");
    later(problem instanceof TypeError ? "The hub does not answer." : problem.message);
  }
}

function listen(ticket) {
  const host = hub.url ? new URL(hub.url).host : location.host;
  const socket = new WebSocket(`ws://${host}/ws?deltas=changed&ticket=${ticket}`);
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.type === "state") showState(message);
    if (message.type === "log_entry" && message.entry.kind === "call") showCall(message.entry);
  };
  socket.onclose = ({ reason }) => later(reason ? `The connection was closed: ${reason}.` : "The hub is gone.");
}

function later(why) {
  say(why, "off");
  explain("Not connected", `${why} What is shown below may be old. This page goes on trying; the hub is started by:`, "agent-discover serve");
  again();
}

let next;
function again() {
  clearTimeout(next);
  next = setTimeout(inWindow ? () => join(inWindow.Connect) : follow, wait);
  wait = Math.min(wait * 2, longestWait);
}

// showState takes a whole state, or the servers that have changed and the names of all.
function showState({ delta, version, names, servers: news }) {
  const known = new Map(servers);
  for (const server of news) known.set(server.name, { ...server, tools: undefined, count: server.tools.length });
  servers.clear();
  for (const name of delta ? names : news.map((server) => server.name)) servers.set(name, known.get(name));
  if (!delta) {
    wait = 500;
    part("version").textContent = version;
    part("notice").hidden = true;
    part("hub").hidden = false;
    say("Connected", "on");
    showCalls();
  }
  part("servers").replaceChildren(...[...servers.values()].map(serverRow));
  part("count").textContent = servers.size || "";
  showEmptiness();
}

// showEmptiness says in words what a table without rows would not.
function showEmptiness() {
  for (const id of ["servers", "calls"]) {
    const empty = part(id).childElementCount === 0;
    part(id).parentElement.hidden = empty;
    part(`no-${id}`).hidden = !empty;
  }
}

// showCalls fetches what was called before; later calls are pushed.
async function showCalls() {
  try {
    const { entries } = await ask("GET", `/api/logs?kind=call&limit=${shownCalls}`);
    part("calls").replaceChildren(...entries.map(callRow));
    showEmptiness();
  } catch (problem) {
    say(`Connected, but the last calls could not be read: ${problem.message}`, "off");
  }
}

function showCall(entry) {
  const rows = part("calls");
  rows.prepend(callRow(entry));
  while (rows.childElementCount > shownCalls) rows.lastElementChild.remove();
  showEmptiness();
}

function serverRow(server) {
  let state = server.running ? "running" : "stopped";
  if (!server.approved) state = "waits for approval";
  const health = mark(server.health_status, { healthy: "good", unhealthy: "bad" }[server.health_status]);
  return row([
    stack(server.name, server.description),
    mark(server.active ? `${state}, active` : state, server.running ? "good" : ""),
    stack(health, server.last_error ?? ""),
    number(server.count, "tools"),
  ]);
}

function callRow(entry) {
  return row([
    new Date(entry.timestamp).toLocaleTimeString(),
    entry.server,
    entry.tool,
    mark(entry.success ? "ok" : "failed", entry.success ? "good" : "bad"),
    number(Math.round(entry.latency_ms), "ms"),
  ]);
}

function row(cells) {
  const line = document.createElement("tr");
  cells.forEach((cell, i) => {
    const box = document.createElement(i === 0 ? "th" : "td");
    if (i === 0) box.scope = "row";
    if (cell.className === "number") box.className = "number";
    box.append(cell);
    line.append(box);
  });
  return line;
}

function stack(first, second) {
  const box = document.createElement("div");
  box.append(first);
  if (second) {
    const quiet = document.createElement("p");
    quiet.className = "quiet";
    quiet.textContent = second;
    box.append(quiet);
  }
  return box;
}

function mark(text, kind) {
  const box = document.createElement("span");
  box.className = `mark ${kind ?? ""}`;
  box.textContent = text;
  return box;
}

function number(value, unit) {
  const box = document.createElement("span");
  box.className = "number";
  box.dataset.unit = unit; // where there is no heading
  box.textContent = value;
  return box;
}

// What calls lock or later is shown; anything else is a mistake here.
enter().catch((problem) => later(problem instanceof TypeError ? "The hub does not answer." : problem.message));
if (inWindow) {
  part("advice").hidden = true;
  part("start").onclick = () => {
    wait = 500;
    clearTimeout(next);
    join(inWindow.Start);
  };
}
