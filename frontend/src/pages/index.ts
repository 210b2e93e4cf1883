// The pages, in the order of the menu. Each is loaded when it is first opened.

import Activity from "@lucide/svelte/icons/activity";
import CircleQuestionMark from "@lucide/svelte/icons/circle-question-mark";
import CodeXml from "@lucide/svelte/icons/code-xml";
import FlaskConical from "@lucide/svelte/icons/flask-conical";
import Gauge from "@lucide/svelte/icons/gauge";
import Hourglass from "@lucide/svelte/icons/hourglass";
import Layers from "@lucide/svelte/icons/layers";
import Server from "@lucide/svelte/icons/server";
import Settings from "@lucide/svelte/icons/settings";
import Store from "@lucide/svelte/icons/store";
import Wrench from "@lucide/svelte/icons/wrench";
import type { Component } from "svelte";

export interface PageEntry {
  /** The first segment of the page's address. */
  id: string;
  title: string;
  icon: Component;
  load: () => Promise<{ default: Component }>;
  /** Whether the menu hides the page unless servers, tools or texts wait for a decision. */
  onlyWhenWaiting?: boolean;
}

export const pages: PageEntry[] = [
  { id: "overview", title: "Overview", icon: Gauge, load: () => import("./overview/Overview.svelte") },
  {
    id: "approvals",
    title: "Approvals",
    icon: Hourglass,
    load: () => import("./approvals/Approvals.svelte"),
    onlyWhenWaiting: true,
  },
  { id: "servers", title: "Servers", icon: Server, load: () => import("./servers/Servers.svelte") },
  { id: "browse", title: "Browse", icon: Store, load: () => import("./browse/Browse.svelte") },
  { id: "editors", title: "Editors", icon: CodeXml, load: () => import("./editors/Editors.svelte") },
  { id: "tools", title: "Tools", icon: Wrench, load: () => import("./tools/Tools.svelte") },
  { id: "toolsets", title: "Toolsets", icon: Layers, load: () => import("./toolsets/Toolsets.svelte") },
  { id: "test", title: "Inspector", icon: FlaskConical, load: () => import("./test/Test.svelte") },
  { id: "activity", title: "Activity", icon: Activity, load: () => import("./activity/Activity.svelte") },
  { id: "settings", title: "Settings", icon: Settings, load: () => import("./settings/Settings.svelte") },
  { id: "help", title: "Help", icon: CircleQuestionMark, load: () => import("./help/Help.svelte") },
];

/** The pages that Ctrl/Cmd+1 to 9 open. The menu of the native window has the same order (app/menu.go). */
export const byKey: string[] = [
  "overview",
  "servers",
  "editors",
  "tools",
  "test",
  "activity",
  "approvals",
  "browse",
  "toolsets",
];
