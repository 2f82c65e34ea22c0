import type { ModelConfig } from "@servicekit/model-router";
import type { Models } from "@servicekit/prisma";
import { isHidden } from "@servicekit/prisma/internal";
import { callerOf } from "@servicekit/router";
import type { Request } from "express";
import { type Draw, makeDraw } from "../../../../scripts/test/random-draw.js";
import { drawFilter } from "./drawn-filters.js";
import { drawRights } from "./drawn-rights.js";
import type { WorkshopRights } from "./workshop.js";

const roles = ["viewer", "editor", "admin", "owner"] as const;

/**
 * Draws access rules of recorded models for a seed: those of {@link drawRights}, and for each role its own row rules and
 * visible fields. Each model with single reads has recorded changes with a history.
 */
export function drawRecordedRights(seed: number, models: Models): WorkshopRights {
  const { models: configs, rights } = drawRights(seed);
  const draw = makeDraw(seed + 1_000_003);
  const recorded = Object.entries(configs).map(([name, config]): readonly [string, ModelConfig] => {
    const model = models.get(name);
    const { operations = {}, ...rest } = config;
    const all = (rest.auth ?? {}) as NonNullable<ModelConfig["auth"]>;
    if (model === undefined || operations.findOne === false) return [name, config as ModelConfig];
    const hasRule = all.where === undefined && draw.chance(0.7);
    const auth = {
      ...all,
      ...(hasRule ? { where: drawRule(draw, name, models) } : {}),
      ...(draw.chance(0.5) ? { fields: drawFields(draw, name, models, rest as ModelConfig) } : {}),
    };
    return [name, { ...rest, operations, auth, changes: { history: true } } as ModelConfig];
  });
  return { models: Object.fromEntries(recorded), rights };
}

/** All rows, no row, or those of a filter, by the role of the caller. */
function drawRule(draw: Draw, name: string, models: Models) {
  const model = models.get(name);
  if (model === undefined) throw new TypeError(`Unknown model ${name}.`);
  const drawOne = () =>
    draw.pick<unknown>([true, false, drawFilter(draw, model, models), drawFilter(draw, model, models)]);
  const rules = new Map<string, unknown>(roles.map((role) => [role, drawOne()]));
  const others = drawOne();
  return (request: Request) => {
    const role = callerOf(request)?.roles.find((one) => rules.has(one));
    return (role === undefined ? others : rules.get(role)) as boolean | Readonly<Record<string, unknown>>;
  };
}

/** Keys are visible to all, because the requests of tests identify rows by them. */
function drawFields(draw: Draw, name: string, models: Models, { computed = {}, hidden = [] }: ModelConfig) {
  const model = models.get(name);
  const keys = new Set(model?.key?.fields.map((field) => field.name));
  const names = (model?.fields ?? []).filter((field) => !isHidden(field)).map((field) => field.name);
  const all = [...names, ...Object.keys(computed)].filter((one) => !hidden.includes(one));
  const visible = all.filter((one) => keys.has(one) || draw.chance(0.7));
  const rest = all.filter((one) => !visible.includes(one));
  const ofRoles = roles.map((role) => [role, rest.filter(() => draw.chance(0.5))] as const);
  return { "*": visible, ...Object.fromEntries(ofRoles.filter(([, fields]) => fields.length > 0)) };
}
