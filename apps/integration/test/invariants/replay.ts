import type { Model, StoredField } from "@servicekit/prisma";
import type { DrawnRequest, Setup, Values } from "./cases.js";
import type { Invariant, Violation } from "./check-cases.js";
import { drawSetup } from "./draw-setup.js";
import { featureValue } from "./features.js";
import { drawnModels } from "./fixtures.js";
import { drawWriter, makeMaterial, pathOf, rowPath } from "./material.js";
import { differenceOf, normalizeText } from "./normalize.js";
import { kindOf } from "./responses.js";
import { keyText, relationOf, storedFields } from "./rows.js";
import { type RunningCase, startCase } from "./start-case.js";
import { drawWrite } from "./writes.js";

interface Case {
  readonly setup: Setup;
  readonly steps: readonly DrawnRequest[];
}

type Check = (running: RunningCase, setup: Setup, count: (name: string) => void) => Promise<readonly Violation[]>;

/** The log replays to the table, a restored state equals that state, and an export imported again gives the same rows. */
export const replay = (serverUrl: string, steps: number): Invariant<Case> => ({
  name: "replay",
  lists: ["steps"],
  draw: (draw, provider, models) => {
    const setup = drawSetup(draw, provider, models, new Set(["changes", "export", "import"]));
    const material = makeMaterial(draw, setup, models);
    return {
      setup,
      steps: Array.from({ length: steps }, () => ({ caller: drawWriter(draw), ...drawWrite(material) })),
    };
  },
  check: async ({ setup, steps }, count) => {
    const running = await startCase(setup, serverUrl);
    try {
      for (const step of steps) count(kindOf(step, await running.send(step)));
      const violations: Violation[] = [];
      // Each check changes what the next one reads.
      for (const check of [compareLog, compareRestores, compareLog, compareImports]) {
        violations.push(...(await check(running, setup, count)));
      }
      return violations;
    } finally {
      await running.close();
    }
  },
});

const has = ({ features }: Setup, key: string, model: Model): boolean =>
  featureValue(features, key, model.name) !== undefined;

/** All rows of a model as a superuser lists them, deleted ones included, without those that a default filter hides. */
async function listAll(running: RunningCase, setup: Setup, model: Model): Promise<readonly Values[]> {
  const deleted = has(setup, "softDelete", model) ? "&deleted=include" : "";
  const target = `${pathOf(model)}?limit=100${deleted}`;
  const { status, body, text } = await running.send({ caller: "root", method: "GET", target });
  if (status !== 200) throw new Error(`${target} is ${status}: ${text}`);
  return body.data;
}

interface Change {
  readonly id: bigint;
  readonly model: string;
  readonly before: Values | null;
  readonly after: Values | null;
}

/** Values with equal content are equal texts. */
const textOf = (values: Values): string =>
  JSON.stringify(Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1)));

/** Applies the recorded changes in their order, and compares the result with the table. */
const compareLog: Check = async (running, setup, count) => {
  const changes = (await running.changes()) as unknown as readonly Change[];
  return (
    await Promise.all(
      drawnModels(running.models).map(async (model): Promise<readonly Violation[]> => {
        if (!has(setup, "changes", model) || has(setup, "defaultFilter", model)) return [];
        const states = new Map<string, Values>();
        for (const { id, before, after } of changes.filter((change) => change.model === model.name)) {
          const state = before === null ? undefined : states.get(keyText(model, before));
          if (before !== null && (state === undefined || textOf(state) !== textOf(before))) {
            const detail = `change ${id} of ${model.name} begins with ${textOf(before)} in place of ${state && textOf(state)}`;
            return [{ kind: "log", detail }];
          }
          if (before !== null) states.delete(keyText(model, before));
          if (after !== null) states.set(keyText(model, after), after);
        }
        const rows = await listAll(running, setup, model);
        const [recorded] = states.values();
        const names = new Set(Object.keys(recorded ?? {}));
        const current = rows.map((row) =>
          textOf(Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name)))),
        );
        const result = [...states.values()].map(textOf);
        count("replayed table");
        const [one, other] = [current.sort().join("\n"), result.sort().join("\n")];
        return one === other ? [] : [{ kind: "log", detail: `${model.name}\n${differenceOf(one, other)}` }];
      }),
    )
  ).flat();
};

/** Restores an old state of each row that has one, and compares the row with the state. */
const compareRestores: Check = async (running, setup, count) => {
  const since = Date.now();
  const violations: Violation[] = [];
  for (const model of drawnModels(running.models)) {
    const { history = false } = (featureValue(setup.features, "changes", model.name) ?? {}) as { history?: boolean };
    // A schema may change values.
    if (!history || has(setup, "schema", model)) continue;
    const disabled = (featureValue(setup.features, "operations", model.name) ?? []) as readonly string[];
    const { body } = await running.send({ caller: "root", method: "GET", target: `${pathOf(model)}?limit=100` });
    for (const row of body.data as readonly Values[]) {
      const path = rowPath(model, row);
      const read = await running.send({ caller: "root", method: "GET", target: `${path}/history?limit=100` });
      if (read.status !== 200) {
        violations.push({ kind: "history", detail: `${path}/history is ${read.status}: ${read.text}` });
        continue;
      }
      const states = (read.body.data as readonly (Change & { readonly id: string })[]).filter(
        ({ after }) => after !== null,
      );
      const state = states.at(-1);
      // A restore is an update.
      if (states.length < 2 || state?.after == null || disabled.includes("update")) continue;
      const reply = await running.send({
        caller: "root",
        method: "POST",
        target: `${path}/history/${state.id}/restore`,
      });
      count(`restore ${reply.status}`);
      // A unique value that another row has now, or a related row that does not exist.
      if (reply.status === 409 || reply.body?.code === "RelatedRecordNotFound") continue;
      // A row that a restore has created has the defaults of its read-only fields.
      if (reply.status === 403 && differsReadOnly(setup, model, row, state.after)) continue;
      if (reply.status !== 200) {
        violations.push({
          kind: "restore",
          detail: `${path}/history/${state.id}/restore is ${reply.status}: ${reply.text}`,
        });
        continue;
      }
      const { meta } = reply.body;
      const ignored = new Set<string>([...meta.notWritable, ...meta.unknown, "updatedAt"]);
      const [now] = (await listAll(running, setup, model)).filter((one) => keyText(model, one) === keyText(model, row));
      const fields = Object.entries(state.after).filter(([name]) => !ignored.has(name));
      const [one, other] = [now ?? {}, state.after].map((values) =>
        normalizeText(JSON.stringify(fields.map(([name]) => [name, values[name]])), since),
      );
      if (one !== other)
        violations.push({
          kind: "restore",
          detail: `${path} after ${state.id}\n${differenceOf(one ?? "", other ?? "")}`,
        });
    }
  }
  return violations;
};

/** Whether a row differs from a state in fields only that no body sets. */
function differsReadOnly(setup: Setup, model: Model, row: Values, state: Values): boolean {
  const closed = (featureValue(setup.features, "readonly", model.name) ?? []) as readonly string[];
  return storedFields(model)
    .filter(({ name }) => name in row && JSON.stringify(row[name]) !== JSON.stringify(state[name]))
    .every(({ name, annotations, isUpdatedAt }) => annotations.readonly || isUpdatedAt || closed.includes(name));
}

/** The fields that an export contains and a body may set. */
function importedFields(setup: Setup, model: Model): readonly StoredField[] {
  const closed = ["hidden", "readonly"].flatMap(
    (key) => (featureValue(setup.features, key, model.name) ?? []) as readonly string[],
  );
  const isBelowItself = ({ name }: StoredField): boolean => relationOf(model, name)?.type === model.name;
  return storedFields(model).filter(
    (field) =>
      !closed.includes(field.name) &&
      !field.annotations.hidden &&
      !field.annotations.readonly &&
      !field.isUpdatedAt &&
      !(field.isId && field.hasDefault) &&
      !isBelowItself(field),
  );
}

const formats = ["text/csv", "application/x-ndjson"] as const;

/** Exports the rows of each model, deletes them, imports them, and compares them. */
const compareImports: Check = async (running, setup, count) => {
  const violations: Violation[] = [];
  // Rows that reference others are read before these are deleted.
  const models = drawnModels(running.models).toReversed();
  for (const model of models) {
    // A schema may change values.
    if (!has(setup, "export", model) || !has(setup, "import", model) || has(setup, "schema", model)) continue;
    const fields = importedFields(setup, model);
    const names = fields.map(({ name }) => name).join();
    for (const type of formats) {
      const target = `${pathOf(model)}?fields=${names}`;
      const list = await running.send({ caller: "root", method: "GET", target: `${target}&limit=100` });
      const file = await running.send({ caller: "root", method: "GET", target, headers: { accept: type } });
      const rows = list.body?.data as readonly Values[] | undefined;
      if (rows === undefined || file.status !== 200) {
        violations.push({
          kind: "export",
          detail: `${target} is ${list.status}, as ${type} ${file.status}: ${file.text}`,
        });
        continue;
      }
      if (rows.length === 0) continue;
      for (const referencing of models.slice(0, models.indexOf(model) + 1)) await running.empty(referencing.name);
      const reply = await running.send({
        ...{ caller: "root", method: "POST", target: `${pathOf(model)}/many`, headers: { "content-type": type } },
        body: file.text,
      });
      count(`import ${reply.status}`);
      const place = `${model.name} as ${type}`;
      // A create is off if bodies cannot set a required field, and a reference may lead to a deleted row.
      if ([404, 405, 415].includes(reply.status) || reply.body?.code === "RelatedRecordNotFound") continue;
      if (reply.status !== 201) {
        violations.push({
          kind: `import ${type} ${reply.status}`,
          detail: `${place} is ${reply.status}: ${reply.text}\n${file.text}`,
        });
        continue;
      }
      const next = await running.send({ caller: "root", method: "GET", target: `${target}&limit=100` });
      const [one, other] = [rows, next.body.data as readonly Values[]].map((values) =>
        values.map(textOf).sort().join("\n"),
      );
      if (one !== other)
        violations.push({
          kind: `import ${type}`,
          detail: `${place}\n${differenceOf(one ?? "", other ?? "")}\n${file.text}`,
        });
    }
  }
  return violations;
};
