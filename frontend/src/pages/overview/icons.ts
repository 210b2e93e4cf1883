// The icon of each kind of issue.

import CircleAlert from "@lucide/svelte/icons/circle-alert";
import CirclePause from "@lucide/svelte/icons/circle-pause";
import Ethernet from "@lucide/svelte/icons/ethernet-port";
import EyeIcon from "@lucide/svelte/icons/eye";
import Hourglass from "@lucide/svelte/icons/hourglass";
import History from "@lucide/svelte/icons/history";
import KeyRound from "@lucide/svelte/icons/key-round";
import LockOpen from "@lucide/svelte/icons/lock-open";
import PackageX from "@lucide/svelte/icons/package-x";
import ShieldAlert from "@lucide/svelte/icons/shield-alert";
import TriangleAlert from "@lucide/svelte/icons/triangle-alert";
import type { Component } from "svelte";

export const icons: Record<string, Component> = {
  Version: History,
  Open: LockOpen,
  Port: Ethernet,
  Paused: CirclePause,
  Waiting: Hourglass,
  Held: Hourglass,
  Suspicious: ShieldAlert,
  "Sign in": KeyRound,
  Failing: CircleAlert,
  "Calls fail": TriangleAlert,
  Missing: PackageX,
  "No keychain": KeyRound,
  "Plain text": EyeIcon,
};
