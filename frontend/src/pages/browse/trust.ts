// Facts about a listing for deciding whether to trust it.

import BadgeCheck from "@lucide/svelte/icons/badge-check";
import CircleAlert from "@lucide/svelte/icons/circle-alert";
import CircleCheck from "@lucide/svelte/icons/circle-check";
import Clock from "@lucide/svelte/icons/clock";
import Download from "@lucide/svelte/icons/download";
import KeyRound from "@lucide/svelte/icons/key-round";
import Scale from "@lucide/svelte/icons/scale";
import TriangleAlert from "@lucide/svelte/icons/triangle-alert";
import type { Component } from "svelte";
import { ago, compact, count, full, timeOf } from "$lib/format";
import type { Tone } from "$lib/ui/state";
import { visible } from "$lib/verbatim";
import { sourceWord } from "./labels";
import type { Details, Found, Remote } from "./types";

export interface Sign {
  icon: Component;
  tone: Tone;
  word: string;
  /** The meaning of the word, for the tooltip and the panel. */
  why: string;
}

/** The colour of a sign. */
export const toneOf: Record<Tone, string> = {
  neutral: "text-ink-3",
  accent: "text-accent-ink",
  good: "text-good",
  warn: "text-warn",
  bad: "text-bad",
};

const NEW = 30 * 86_400_000; // ms in which a listing counts as new

const registry = (source: string) => (source === "official" ? "The official registry" : sourceWord(source));

const publisher = ({ verified, source, name }: Found | Details): Sign =>
  verified
    ? {
        icon: BadgeCheck,
        tone: "good",
        word: "Publisher verified",
        why: `${registry(source)} has checked that the publisher owns ${visible(name.split("/")[0] ?? name)}.`,
      }
    : {
        icon: CircleAlert,
        tone: "neutral",
        word: "Publisher not verified",
        why: `Anybody can publish under a free name on ${sourceWord(source)}. Compare the name and the repository.`,
      };

function age({ published, updated }: Found | Details, now: number): Sign[] {
  const at = timeOf(published);
  if (!at || at.getTime() <= 0) return [];
  const isNew = now - at.getTime() < NEW;
  const later = timeOf(updated);
  return [
    {
      icon: Clock,
      tone: isNew ? "warn" : "neutral",
      word: `${isNew ? "New: published" : "Published"} ${ago(published, now)}`,
      why: `On ${full(published)}${later && later > at ? `, last updated ${ago(updated, now)}` : ""}.${isNew ? " Few people can have tried it." : ""}`,
    },
  ];
}

/** signsOf returns the signs of a listing, warnings first. */
export function signsOf(server: Found | Details, now = Date.now()): Sign[] {
  const all: Sign[] = [publisher(server), ...age(server, now)];
  if (server.status === "deprecated")
    all.push({
      icon: TriangleAlert,
      tone: "warn",
      word: "Deprecated",
      why: server.message ? visible(server.message) : "The publisher advises against this server.",
    });
  if ("server" in server && !server.server)
    all.push({
      icon: TriangleAlert,
      tone: "warn",
      word: "May not be a server",
      why: "Nothing in the package says that it is an MCP server. It may be a library or a client.",
    });
  if (server.downloads)
    all.push({
      icon: Download,
      tone: "neutral",
      word: `${compact(server.downloads)} downloads a month`,
      why: `${count(server.downloads)} downloads in the last month, by people and by machines.`,
    });
  if (server.license)
    all.push({
      icon: Scale,
      tone: "neutral",
      word: visible(server.license).slice(0, 40),
      why: "The licence that the publisher names.",
    });
  // A server that can only be reached at an address is of no use if the address does not answer.
  const probe = server.packages?.length ? undefined : server.remotes?.map(probeSign).find(Boolean);
  if (probe) all.push(probe);
  const order: Tone[] = ["bad", "warn", "good", "accent", "neutral"];
  return all.sort((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone));
}

const answers: Record<string, Omit<Sign, "why"> & { why: string }> = {
  ok: { icon: CircleCheck, tone: "good", word: "Answers", why: "The address answered" },
  sign_in: { icon: KeyRound, tone: "neutral", word: "Asks for a sign-in", why: "The address asked for a sign-in" },
  failed: { icon: CircleAlert, tone: "bad", word: "Did not answer", why: "The address did not answer as a server" },
};

/** probeSign returns how the address of a remote server answered when it was tried; undefined if it was not tried. */
export function probeSign({ probe }: Remote): Sign | undefined {
  const look = probe && answers[probe.answer];
  if (!look) return undefined;
  const detail = probe.detail ? `: ${visible(probe.detail)}` : "";
  return { ...look, why: `${look.why} ${ago(probe.at)}${detail}`.replace(/\.?$/, ".") };
}
