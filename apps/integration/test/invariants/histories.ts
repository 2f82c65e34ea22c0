import type { Model } from "@servicekit/prisma";
import { type CallerName, callers } from "./callers.js";
import type { DrawnRequest, Setup, Values } from "./cases.js";
import type { Invariant, Violation } from "./check-cases.js";
import { drawSetup } from "./draw-setup.js";
import { featureValue } from "./features.js";
import { drawCaller, makeMaterial, rowPath } from "./material.js";
import { kindOf } from "./responses.js";
import { withRestore } from "./restore-rows.js";
import { keyOf, keyText } from "./rows.js";
import { type RunningCase, startCase } from "./start-case.js";
import { drawWrite } from "./writes.js";

interface Case {
  readonly setup: Setup;
  readonly steps: readonly DrawnRequest[];
}

/** A recorded change. */
interface Change {
  readonly id: string;
  readonly model: Model;
  readonly states: Readonly<Record<Side, Values | null>>;
}

const sides = ["before", "after"] as const;
type Side = (typeof sides)[number];

/** The states that a history shows to a caller. */
interface Entry {
  readonly id: string;
  readonly before: Values | null;
  readonly after: Values | null;
}

/** A history shows of each state what a read of the row in this state, with today's rules and related rows, would show. */
export const histories = (serverUrl: string, steps: number): Invariant<Case> => ({
  name: "histories",
  lists: ["steps"],
  draw: (draw, provider, models) => {
    const setup = drawSetup(draw, provider, models, new Set(["changes"]));
    const material = makeMaterial(draw, setup, models);
    const drawStep = (): DrawnRequest => ({
      caller: draw.chance(0.6) ? "root" : drawCaller(draw),
      ...drawWrite(material),
    });
    return { setup, steps: Array.from({ length: steps }, drawStep) };
  },
  check: async ({ setup, steps }, count) => {
    const running = await startCase(setup, serverUrl);
    try {
      for (const step of steps) count(kindOf(step, await running.send(step)));
      return await compare(running, setup, count);
    } finally {
      await running.close();
    }
  },
});

async function compare(
  running: RunningCase,
  setup: Setup,
  count: (name: string) => void,
): Promise<readonly Violation[]> {
  const changes = (await readChanges(running)).filter(({ model }) => isComparable(setup, model));
  const entries = await readHistories(running, changes);
  const violations: Violation[] = [];
  await withRestore(setup.provider, running.databaseUrl, running.models, async (restore) => {
    for (const { model, state, readers } of groupStates(changes, entries)) {
      if (!(await putState(running, model, state))) {
        count("state that cannot return");
        continue;
      }
      for (const [caller, shown] of readers) {
        const row = await readRow(running, caller, model, state);
        count("state in a history");
        const differences = Object.keys(shown).filter(
          (name) => JSON.stringify(shown[name]) !== JSON.stringify(row?.[name]),
        );
        if (row !== undefined && differences.length === 0) continue;
        const place = `${caller} reads of ${model.name} ${keyText(model, state)}`;
        violations.push({
          kind: "history",
          detail: `${place} ${JSON.stringify(shown)}, but directly ${JSON.stringify(row)}`,
        });
      }
      await restore();
    }
  });
  return violations;
}

/** Hidden fields are not recorded, so a rule that reads them does not match a state. */
function isComparable({ features }: Setup, model: Model): boolean {
  const { history } = featureValue(features, "changes", model.name) as { readonly history: boolean };
  const hidden = (featureValue(features, "hidden", model.name) ?? []) as readonly string[];
  const rule = JSON.stringify(featureValue(features, "rowRule", model.name) ?? "");
  const names = model.fields.filter((field) => field.annotations.hidden || hidden.includes(field.name));
  return history && names.every(({ name }) => !rule.includes(`"${name}"`));
}

async function readChanges(running: RunningCase): Promise<readonly Change[]> {
  return (await running.changes()).flatMap(({ id, model: name, before, after }) => {
    const model = running.models.get(name as string);
    const states = { before: before as Values | null, after: after as Values | null };
    return model === undefined ? [] : [{ id: String(id), model, states }];
  });
}

/** The visible states of each change, by the caller. */
async function readHistories(
  running: RunningCase,
  changes: readonly Change[],
): Promise<ReadonlyMap<CallerName, ReadonlyMap<string, Entry>>> {
  const paths = new Set(
    changes.map(({ model, states }) => rowPath(model, keyOf(model, states.after ?? states.before ?? {}))),
  );
  const entries = callers.map(async (caller) => {
    const lists = await Promise.all(
      [...paths].map((path) => running.send({ caller, method: "GET", target: `${path}/history?limit=100` })),
    );
    const all = lists.flatMap(({ status, body }) => (status === 200 ? (body.data as readonly Entry[]) : []));
    return [caller, new Map(all.map((entry) => [String(entry.id), entry]))] as const;
  });
  return new Map(await Promise.all(entries));
}

interface ShownState {
  readonly model: Model;
  readonly state: Values;
  readonly readers: ReadonlyMap<CallerName, Values>;
}

/** Each state that a history shows, with what callers see of it. */
function groupStates(
  changes: readonly Change[],
  entries: ReadonlyMap<CallerName, ReadonlyMap<string, Entry>>,
): readonly ShownState[] {
  const groups = new Map<string, ShownState>();
  for (const { id, model, states } of changes) {
    for (const side of sides) {
      const state = states[side];
      if (state === null) continue;
      const readers = callers.flatMap((caller) => {
        const shown = entries.get(caller)?.get(id)?.[side] ?? null;
        return shown === null ? [] : [[caller, shown] as const];
      });
      const name = JSON.stringify([model.name, state]);
      const previous = groups.get(name)?.readers ?? [];
      if (readers.length > 0) groups.set(name, { model, state, readers: new Map([...previous, ...readers]) });
    }
  }
  return [...groups.values()];
}

/** Gives a row a state. @returns false if another row has its unique values, or a related row no longer exists */
async function putState(running: RunningCase, model: Model, state: Values): Promise<boolean> {
  const key = keyOf(model, state);
  const rows = (await running.tables())[model.name] ?? [];
  const isStored = rows.some((row) => keyText(model, row) === keyText(model, state));
  const values = Object.fromEntries(Object.entries(state).filter(([name]) => !(name in key)));
  return running.write({ model: model.name, action: isStored ? "update" : "create", key, values }).then(
    () => true,
    () => false,
  );
}

/** A row as a caller reads it, also a deleted one. */
async function readRow(
  running: RunningCase,
  caller: CallerName,
  model: Model,
  state: Values,
): Promise<Values | undefined> {
  for (const query of ["", "?deleted=include"]) {
    const target = rowPath(model, keyOf(model, state)) + query;
    const { status, body } = await running.send({ caller, method: "GET", target });
    if (status === 200) return body.data;
  }
  return undefined;
}
