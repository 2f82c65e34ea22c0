import { resourcePath } from "@servicekit/model-router/internal";
import { isRecordOf, keyOf, type Recorded, readChanges, readRows, sides } from "./recorded-states.js";
import { makeStateReader } from "./row-states.js";
import type { Workshop } from "./workshop.js";
import { type CallerName, callers } from "./workshop-rows.js";

type Row = Readonly<Record<string, unknown>>;

/** The result of comparing histories with direct reads. */
export interface HistoryJudgement {
  /** The recorded states, for each caller. */
  readonly cases: number;
  /** The cases in which the caller sees the state directly, and of these in a history. */
  readonly readable: number;
  readonly shown: number;
  readonly violations: readonly string[];
}

/** Compares the histories of all recorded rows with what each caller sees of each state by a direct read. */
export async function evaluateHistories(workshop: Workshop): Promise<HistoryJudgement> {
  const violations: string[] = [];
  const counts = { cases: 0, readable: 0, shown: 0 };
  const changes = await readChanges(workshop);
  const histories = await readHistories(workshop, changes, violations);
  const rows = await readRows(workshop);
  const reader = await makeStateReader(workshop);
  const seen = new Map<string, ReadonlyMap<CallerName, Row>>();
  const readState = async ({ model }: Recorded, recorded: Row) => {
    // A change of the key has the earlier one.
    const key = keyOf(model, recorded);
    const name = JSON.stringify([model.name, key, recorded]);
    const state = rows.find((row) => row.model === model && row.key === key && isRecordOf(recorded, row.row));
    if (state === undefined) violations.push(`${name} was never in the table`);
    const known = seen.get(name) ?? (state === undefined ? new Map() : await reader.read(state, callers));
    seen.set(name, known);
    return known;
  };
  for (const change of changes) {
    for (const side of sides) {
      const recorded = change.states[side];
      const direct = recorded === null ? undefined : await readState(change, recorded);
      for (const caller of callers) {
        const entry = histories.get(`${caller} ${change.model.name} ${change.key}`)?.get(change.id);
        const shown = (entry?.[side] ?? null) as Row | null;
        const readable = direct?.get(caller);
        if (recorded !== null) counts.cases++;
        if (readable !== undefined) counts.readable++;
        if (shown === null || isOwnUser(change, caller)) continue;
        counts.shown++;
        const place = `${caller} sees ${side} of change ${change.id} of ${change.model.name} ${change.key}`;
        if (readable === undefined) violations.push(`${place}: ${JSON.stringify(shown)}`);
        for (const [name, value] of Object.entries(shown)) {
          if (readable !== undefined && JSON.stringify(readable[name]) !== JSON.stringify(value))
            violations.push(`${place}: ${name} is ${JSON.stringify(value)}, but ${JSON.stringify(readable[name])}`);
        }
      }
    }
  }
  return { ...counts, violations };
}

/** A caller whose own user has another state may have other roles. */
const isOwnUser = ({ model, states: { before, after } }: Recorded, caller: CallerName): boolean =>
  model.name === "User" && [before?.username, after?.username].includes(caller);

/** The entries of each history by the caller, the model and the key. */
async function readHistories({ as }: Workshop, changes: readonly Recorded[], violations: string[]) {
  const found = new Map<string, ReadonlyMap<string, Readonly<Record<string, unknown>>>>();
  for (const { model, key } of changes) {
    for (const caller of callers) {
      const name = `${caller} ${model.name} ${key}`;
      if (found.has(name)) continue;
      const target = `/${resourcePath(model)}/${key}/history?limit=100`;
      const { status, body, text } = await as(caller, "GET", target);
      if (![200, 401, 403, 404].includes(status)) violations.push(`${caller} ${target}: ${text}`);
      if (status === 200 && body.meta.hasMore) violations.push(`${caller} ${target} has a second page`);
      const entries: Row[] = status === 200 ? body.data : [];
      found.set(name, new Map(entries.map((entry) => [String(entry.id), entry])));
      const known = new Set(changes.filter((one) => one.model === model && one.key === key).map(({ id }) => id));
      for (const { id, changed, before, after } of entries) {
        if (!known.has(String(id))) violations.push(`${caller} ${target} contains change ${id} of another row`);
        const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
        if (!(changed as string[]).every((one) => names.has(one))) violations.push(`${caller} ${target}: ${changed}`);
      }
    }
  }
  return found;
}
