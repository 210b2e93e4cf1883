// The WebSocket over which the hub reports all changes. The types match backend/doors/api/push/messages.go.

import { address, api, take, type Schemas } from "./client.ts";

/** A configured server, as WebSocket messages describe it. */
export type Server = Schemas["Server"] & {
  secret_names?: string[];
  metrics?: Schemas["ServerMetrics"];
  /** A revision number that changes when the server's tools change. */
  tools_rev?: number;
};

export type LogEntry = Schemas["LogEntry"];

export interface Elicitation {
  id: string;
  serverName: string;
  /** How the question is answered; a form if missing. */
  mode?: "form" | "url" | "sampling";
  message: string;
  requestedSchema: unknown;
  /** The web page that the server asks to open. */
  url?: string;
  /** The parameters of sampling/createMessage. */
  request?: unknown;
  /** The MCP client whose call caused the question; missing if it is not known. */
  client?: string;
  /** When the server is told that nobody has answered, in ms since 1970. */
  expiresAt: number;
}

export type OutputLine = Schemas["OutputLine"];

/** A JSON-RPC message between the hub and a server. */
export type ServerMessage = Schemas["ServerMessage"];

/** The WebSocket messages of the hub, by type. */
export interface Messages {
  state: { delta?: boolean; version?: string; names?: string[]; servers: Server[]; active: { name: string }[] };
  hub: { paused: boolean; calls: number; clients: Schemas["Client"][]; problem?: string };
  log_entry: { entry: LogEntry };
  notification: { serverName: string; method: string; params: unknown; ts: string };
  progress: {
    serverName: string;
    payload: { token?: string | number; progress?: number; total?: number; message?: string };
    ts: string;
  };
  elicitation_request: Elicitation & { ts: string };
  elicitation_answered: { id: string; unanswered?: "expired" | "withdrawn" };
  output: { serverName: string; left_out?: number; lines: OutputLine[] };
  messages: { serverName: string; missed?: number; messages: ServerMessage[] };
  learned: { on: boolean; total: number };
  /** The state of the Agent Discover entry in some editor may have changed. */
  editors: object;
  /** A token of an MCP client was created, revoked or used. */
  tokens: object;
  error: { message: string };
}

export type MessageType = keyof Messages;

/** listen opens a WebSocket and passes on every message. It calls closed once, with the hub's reason or "". */
export async function listen(
  passOn: <T extends MessageType>(type: T, message: Messages[T]) => void,
  closed: (reason: string) => void,
): Promise<WebSocket> {
  const { ticket } = await take(api.POST("/api/tickets", { body: { purpose: "socket" } }));
  const url = address(`/ws?deltas=changed&tools=none&hub=1&ticket=${ticket}`).replace(/^http/, "ws");
  const socket = new WebSocket(url);
  socket.onmessage = ({ data }: MessageEvent<string>) => {
    const message = JSON.parse(data) as { type: MessageType } & Messages[MessageType];
    passOn(message.type, message);
  };
  socket.onclose = ({ reason }) => closed(reason);
  return socket;
}
