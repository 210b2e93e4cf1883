// The hub's types of the marketplace.

import type { Schemas } from "$lib/api/client";

export type Found = Schemas["MarketResult"];
export type Details = Schemas["MarketDetails"];
export type WellKnown = Schemas["MarketWellKnown"];
export type Answer = Schemas["MarketAnswer"];
export type Report = Schemas["MarketReport"];
export type Remote = Schemas["MarketRemote"];
export type Plan = Schemas["Plan"];
export type Option = Schemas["PlanOption"];
export type Question = Schemas["PlanQuestion"];
