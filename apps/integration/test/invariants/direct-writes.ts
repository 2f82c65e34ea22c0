import type { Model } from "@servicekit/prisma";
import { type CallerName, users } from "./callers.js";
import type { Setup, Values } from "./cases.js";
import type { Invariant, Violation } from "./check-cases.js";
import { drawSetup } from "./draw-setup.js";
import { featureValue } from "./features.js";
import { quoted } from "./filters.js";
import { type DrawnCall, drawWriter, makeMaterial, pathOf, query } from "./material.js";
import { differenceOf, normalizeText } from "./normalize.js";
import { kindOf } from "./responses.js";
import { keyOf, relationOf } from "./rows.js";
import type { Reply } from "./send.js";
import { type RunningCase, startCase } from "./start-case.js";
import { callsOf, directCall, drawIntent, type Intent } from "./writes.js";
import { watchWrite } from "./written-checks.js";

interface Step {
  readonly caller: CallerName;
  readonly intent: Intent;
  readonly call: DrawnCall & { readonly path: string };
}

interface Case {
  readonly setup: Setup;
  readonly steps: readonly Step[];
}

/**
 * What a caller changes by any path, the caller can change by the route of the row, with the same rows and recorded
 * changes. Two databases get the same intents: one by the drawn path, the other by the direct route.
 */
export const directWrites = (serverUrl: string, steps: number): Invariant<Case> => ({
  name: "writes",
  lists: ["steps"],
  draw: (draw, provider, models) => {
    const setup = drawSetup(draw, provider, models);
    const material = makeMaterial(draw, setup, models);
    const drawStep = (): Step => {
      for (;;) {
        const intent = drawIntent(material);
        const calls = callsOf(intent, material);
        if (calls.length > 0) return { caller: drawWriter(draw), intent, call: draw.pick(calls) };
      }
    };
    return { setup, steps: Array.from({ length: steps }, drawStep) };
  },
  check: async ({ setup, steps }, count) => {
    const [first, second] = await Promise.all([startCase(setup, serverUrl), startCase(setup, serverUrl)]);
    try {
      return await compare(setup, steps, first, second, count);
    } finally {
      await Promise.all([first.close(), second.close()]);
    }
  },
});

async function compare(
  setup: Setup,
  steps: readonly Step[],
  first: RunningCase,
  second: RunningCase,
  count: (name: string) => void,
): Promise<readonly Violation[]> {
  const since = Date.now();
  let counter = 1000;
  for (const { caller, intent, call } of steps) {
    // Rejected creates use up generated keys.
    counter += 100;
    if (intent.action === "create") await Promise.all([first.setCounters(counter), second.setCounters(counter)]);
    const model = second.models.get(intent.model) as Model;
    const place = `${caller} ${call.method} ${call.target} ${JSON.stringify(call.body)}`;
    const before = await foreignRows(first, setup, caller);
    const checkWrite = await watchWrite(first, setup, caller, call);
    const reply = await first.send({ caller, ...call });
    const written = writtenValues(setup, intent);
    const conflict = await findConflict(first, model, caller, call, reply, written);
    if (conflict !== undefined) return [{ kind: "conflict of an upsert", detail: `${place} ${conflict}` }];
    const finding = await checkWrite(reply);
    if (finding !== undefined)
      return [{ kind: `${finding.kind} of ${call.path}`, detail: `${place} ${finding.detail}` }];
    if (!hasWritten(call, reply)) {
      count("rejected");
      continue;
    }
    if (intent.action === "update" && !(await hasRow(second, model, intent.key))) {
      // An item of a relation without a row creates one, for which the direct route of the intent has no counterpart.
      await second.send({ caller, ...call });
      count("created in place of an update");
      continue;
    }
    const direct = await directOf({ ...intent, values: written }, call, model, first, second);
    const directReply = await sendDirectly(second, caller, direct, model);
    if (directReply.status >= 300) {
      const detail = `${place} is ${reply.status}, but ${direct.method} ${direct.target} ${JSON.stringify(direct.body)} is ${directReply.status} ${directReply.text}`;
      return [{ kind: `right of ${call.path}`, detail }];
    }
    const after = await foreignRows(first, setup, caller);
    // The database deletes rows below a deleted one, whatever their tenant is.
    if (intent.action !== "delete" && before !== after) {
      return [{ kind: "another tenant", detail: `${place}\n${differenceOf(before, after)}` }];
    }
    count(`written by ${call.path}`);
    count("written");
    const [one = "", other = ""] = (await Promise.all([first, second].map(stateOf))).map((state) =>
      normalizeText(state, since),
    );
    if (one !== other) {
      return [
        { kind: `result of ${call.path}`, detail: `${place}, then the direct route:\n${differenceOf(one, other)}` },
      ];
    }
  }
  return [];
}

function hasWritten(call: DrawnCall, reply: Reply): boolean {
  const isDone = call.target === "/mcp" ? kindOf(call, reply) === "read" : kindOf(call, reply) === "written";
  return isDone && reply.body?.meta?.count !== 0;
}

/** A row that the caller can list, and with which an upsert conflicts in place of updating it. */
async function findConflict(
  running: RunningCase,
  model: Model,
  caller: CallerName,
  call: DrawnCall,
  { status, body }: Reply,
  values: Values,
): Promise<string | undefined> {
  const names = conflictNames(call);
  if (names.length === 0 || status !== 409 || body?.code !== "UniqueConstraint") return undefined;
  const isOfKey = (body.errors as readonly { readonly path: string }[] | undefined)?.some(({ path }) =>
    names.some((name) => path.endsWith(`/${name}`)),
  );
  const filter = query(names.map((name) => [`${name}__equals`, quoted(values[name])]));
  const list = await running.send({ caller, method: "GET", target: `${pathOf(model)}${filter}` });
  return isOfKey === true && list.body?.data?.length > 0 ? `is 409 by the key of ${list.text}` : undefined;
}

/** Sends a direct request, with relations in place of foreign keys if the caller may not use these. */
async function sendDirectly(running: RunningCase, caller: CallerName, call: DrawnCall, model: Model): Promise<Reply> {
  const reply = await running.send({ caller, ...call });
  if (reply.status !== 400 || call.body === undefined) return reply;
  const body = Object.entries(call.body as Values).map(([name, value]) => {
    const relation = relationOf(model, name);
    if (relation === undefined) return [name, value] as const;
    return [relation.name, value === null ? null : { [relation.relation.references[0] ?? ""]: value }] as const;
  });
  return running.send({ caller, ...call, body: Object.fromEntries(body) });
}

async function hasRow(running: RunningCase, model: Model, key: Values): Promise<boolean> {
  const rows = (await running.tables())[model.name] ?? [];
  return rows.some((row) => Object.entries(key).every(([name, value]) => isSame(row[name], value)));
}

/** The values of an intent after the schema of the model, which makes a text upper case. */
function writtenValues({ features }: Setup, { model, values }: Intent): Values {
  const name = String(featureValue(features, "schema", model));
  const text = values[name];
  return typeof text === "string" ? { ...values, [name]: text.toUpperCase() } : values;
}

/** The key of a bulk upsert, which names the row and is not written. */
const conflictNames = ({ target }: DrawnCall): readonly string[] =>
  target.match(/onConflict=(.*)/)?.[1]?.split(",") ?? [];

/** An upsert of an existing row is an update of the fields that it contains, or of all that it replaces. */
async function directOf(
  intent: Intent,
  call: DrawnCall,
  model: Model,
  first: RunningCase,
  second: RunningCase,
): Promise<DrawnCall> {
  const { action, values } = intent;
  if (action !== "create") return directCall(intent, model);
  const [next, current] = await Promise.all([rowLike(first, model, values), rowLike(second, model, values)]);
  if (current === undefined) return directCall(intent, model);
  const key = keyOf(model, current);
  const differences = Object.entries(next ?? {}).filter(
    ([name, value]) => name !== "updatedAt" && JSON.stringify(value) !== JSON.stringify(current[name]),
  );
  const named = [...Object.keys(key), ...conflictNames(call)];
  const requested = Object.entries(values).filter(([name]) => !named.includes(name));
  return directCall(
    { ...intent, action: "update", key, values: Object.fromEntries([...differences, ...requested]) },
    model,
  );
}

/** The row with the same values of a unique key. */
async function rowLike(running: RunningCase, model: Model, values: Values): Promise<Values | undefined> {
  const isLike = (row: Values): boolean =>
    model.uniqueKeys.some(({ fields }) =>
      fields.every(({ name }) => values[name] != null && isSame(row[name], values[name])),
    );
  return ((await running.tables())[model.name] ?? []).find(isLike);
}

const isSame = (one: unknown, other: unknown): boolean => String(one) === String(other);

/** The rows of other tenants than that of a caller. */
async function foreignRows(running: RunningCase, { features }: Setup, caller: CallerName): Promise<string> {
  if (featureValue(features, "tenant") === undefined || caller === "root") return "";
  const tenantId = caller === "anonymous" ? undefined : users[caller].tenantId;
  return Object.entries(await running.tables())
    .flatMap(([name, rows]) =>
      rows.filter((row) => row.tenantId !== tenantId).map((row) => `${name} ${JSON.stringify(row)}`),
    )
    .join("\n");
}

/** All rows and recorded changes, without the times at which rows were changed. */
async function stateOf(running: RunningCase): Promise<string> {
  const tables = Object.entries(await running.tables()).flatMap(([name, rows]) =>
    rows.map((row) => `${name} ${JSON.stringify(without(row, ["updatedAt"]))}`),
  );
  const changes = (await running.changes()).flatMap((change) => {
    const plain = without(change, ["id", "time", "transaction", "requestId", "traceId"]);
    const [before, after] = [change.before, change.after].map(
      (state) => state && without(state as Values, ["updatedAt"]),
    );
    // The row with the relation is touched too.
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [JSON.stringify({ ...plain, before, after })];
  });
  return [...tables, ...changes].join("\n");
}

const without = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
