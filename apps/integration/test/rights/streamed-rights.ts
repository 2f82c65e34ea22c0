import type { ModelConfig } from "@servicekit/model-router";
import type { Models } from "@servicekit/prisma";
import { callerOf } from "@servicekit/router";
import type { Request } from "express";
import { drawRecordedRights } from "./recorded-rights.js";
import type { WorkshopRights } from "./workshop.js";
import type { CallerName } from "./workshop-rows.js";

type Where = Readonly<Record<string, unknown>>;

/** Access rules of models with event streams. */
export interface StreamedRights {
  readonly rights: WorkshopRights;
  /** The names of the models with events. */
  readonly streamed: ReadonlySet<string>;
  /** The row rule of a model that was last applied to a caller; `undefined` if none was. */
  ruleOf(caller: CallerName, model: string): Where | boolean | undefined;
}

/** Draws those of {@link drawRecordedRights}; each model with lists has events. */
export function drawStreamedRights(seed: number, models: Models): StreamedRights {
  const { models: configs = {}, ...rights } = drawRecordedRights(seed, models);
  const streamed = new Set<string>();
  const applied = new Map<string, Where | boolean>();
  const entries = Object.entries(configs).map(([name, config]): readonly [string, ModelConfig] => {
    const { operations = {}, auth = {}, ...rest } = config as ModelConfig;
    const rule = auth.where as ((request: Request) => Where | boolean) | undefined;
    const where = (request: Request): Where | boolean => {
      const result = rule?.(request) ?? true;
      applied.set(`${callerOf(request)?.user.username ?? "anonymous"} ${name}`, result);
      return result;
    };
    if (operations.findMany !== false) streamed.add(name);
    const changes = streamed.has(name) ? { changes: { history: operations.findOne !== false, events: true } } : {};
    return [
      name,
      { ...rest, operations, auth: rule === undefined ? auth : { ...auth, where }, ...changes } as ModelConfig,
    ];
  });
  return {
    rights: { ...rights, models: Object.fromEntries(entries) },
    streamed,
    ruleOf: (caller, model) => applied.get(`${caller} ${model}`),
  };
}
