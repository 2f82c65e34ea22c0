import type { Model } from "@servicekit/prisma";
import type { DrawnFeature, Values } from "./cases.js";
import { toCsv, toLines } from "./import-files.js";
import { type DrawnCall, pathOf, query, rowPath } from "./material.js";
import { callTool, keyValue } from "./reads.js";
import { keyFields, relationFields } from "./rows.js";
import { bodyAt, insertRows, keyAt, referencedRows } from "./sized-rows.js";
import type { RunningCase } from "./start-case.js";

/** A model of a running case with many rows. */
export interface SizedCase {
  readonly running: RunningCase;
  readonly model: Model;
  /** A number that no row has yet. */
  nextIndex(): number;
}

/** A path whose cost is measured by a number of rows, members of a body, or values. */
export interface SizedPath {
  readonly key: string;
  /** The largest size, which the limits allow: a multiple of 16. */
  readonly max: number;
  /** The features that the path requires, with the values that it requires. */
  readonly features?: (model: string) => readonly DrawnFeature[];
  /** The models that have the path. @default all */
  readonly models?: readonly string[];
  /** How often the request is sent in one measurement. @default 1 */
  readonly repeat?: number;
  /** Whether each measurement ends with the events of the written rows, on a stream of the caller. */
  readonly hasEvents?: true;
  /** Why the longest turn of the event loop is not limited. */
  readonly hasLongTurns?: string;
  /** Writes what the requests read, besides the rows. */
  prepare?(one: SizedCase): Promise<void>;
  /** @returns `undefined` if the model does not have the path */
  toCall(one: SizedCase, size: number): DrawnCall | undefined | Promise<DrawnCall>;
}

const get = (target: string, accept?: string): DrawnCall => ({
  ...{ method: "GET", target },
  ...(accept === undefined ? {} : { headers: { accept } }),
});
const json = (method: string, target: string, body: unknown): DrawnCall => ({ method, target, body });
const file = (model: Model, type: string, body: string): DrawnCall => ({
  ...{ method: "POST", target: `${pathOf(model)}/many?dryRun=true`, headers: { "content-type": type } },
  body,
});

const feature =
  (key: string, value: unknown = true) =>
  (model: string): readonly DrawnFeature[] => [{ key, model, value }];

const indexes = (count: number, from = 1): readonly number[] => Array.from({ length: count }, (_, at) => from + at);

const bodies = ({ running, model }: SizedCase, count: number, from: number): readonly Values[] =>
  indexes(count, from).map((index) => bodyAt(model, index, running.models));

const key = ({ running, model }: SizedCase, index: number): Values => keyAt(model, index, running.models);
const keyName = ({ model }: SizedCase): string => keyFields(model)[0]?.name ?? "";
const keyAsValue = (one: SizedCase, index: number): unknown => keyValue(one.model, key(one, index));

/** A filter of the first rows. */
const firstRows = (one: SizedCase, size: number): string =>
  query([[`${keyName(one)}__lte`, key(one, size)[keyName(one)]]]);

/** The rows of the model of a path: more than a request reads. */
export const storedRows = 2_000;

/** To add one, add its record. */
export const sizedPaths: readonly SizedPath[] = [
  { key: "list", max: 96, repeat: 10, toCall: ({ model }, size) => get(`${pathOf(model)}?limit=${size}`) },
  {
    key: "include",
    max: 96,
    repeat: 10,
    toCall: ({ running, model }, size) => {
      const [relation] = relationFields(model, running.models);
      return relation && get(`${pathOf(model)}?limit=${size}&include=${relation.name}`);
    },
  },
  {
    key: "filter by values",
    max: 112,
    repeat: 10,
    toCall: (one, size) => {
      const keys = indexes(size).map((index) => `"${String(keyAsValue(one, index)).replaceAll('"', '\\"')}"`);
      return get(pathOf(one.model) + query([[`${keyName(one)}__in`, keys.join()]]));
    },
  },
  {
    key: "filter by conditions",
    max: 64,
    repeat: 10,
    toCall: (one, size) =>
      get(
        pathOf(one.model) +
          query(indexes(size).map((index) => [`or[${index - 1}][${keyName(one)}__gt]`, keyAsValue(one, index)])),
      ),
  },
  {
    key: "aggregate",
    max: 96,
    repeat: 10,
    features: feature("aggregate"),
    toCall: (one, size) => get(`${pathOf(one.model)}/aggregate?count=true&groupBy=${keyName(one)}&limit=${size}`),
  },
  {
    key: "export of CSV",
    max: 1600,
    features: feature("export"),
    toCall: ({ model }, size) => get(`${pathOf(model)}?limit=${size}`, "text/csv"),
  },
  {
    key: "export of JSON lines",
    max: 1600,
    features: feature("export"),
    toCall: ({ model }, size) => get(`${pathOf(model)}?limit=${size}`, "application/x-ndjson"),
  },
  {
    key: "history",
    max: 96,
    repeat: 10,
    features: feature("changes", { history: true, events: false }),
    prepare: async (one) => {
      const row = { model: one.model.name, action: "update", key: key(one, 1) } as const;
      for (const index of indexes(96)) await one.running.write({ ...row, values: { ownerId: index % 5 } });
    },
    toCall: (one, size) => get(`${rowPath(one.model, key(one, 1))}/history?limit=${size}`),
  },
  {
    key: "import of CSV",
    max: 320,
    features: feature("import"),
    toCall: (one, size) => file(one.model, "text/csv", toCsv(bodies(one, size, 100_000))),
  },
  {
    key: "import of JSON lines",
    max: 320,
    features: feature("import"),
    toCall: (one, size) => file(one.model, "application/x-ndjson", toLines(bodies(one, size, 100_000))),
  },
  {
    key: "bulk create",
    max: 320,
    toCall: (one, size) => json("POST", `${pathOf(one.model)}/many`, bodies(one, size, one.nextIndex())),
  },
  {
    key: "bulk upsert",
    max: 320,
    features: feature("upsert"),
    toCall: (one, size) =>
      json(
        "POST",
        `${pathOf(one.model)}/many?onConflict=${keyName(one)}`,
        indexes(size).map((index) => ({ ...bodyAt(one.model, index, one.running.models), ...key(one, index) })),
      ),
  },
  {
    key: "bulk update by key",
    max: 320,
    toCall: (one, size) =>
      json(
        "PATCH",
        `${pathOf(one.model)}/many`,
        indexes(size).map((index) => ({ id: keyAsValue(one, index), ownerId: one.nextIndex() % 5 })),
      ),
  },
  {
    key: "bulk update by filter",
    max: 320,
    toCall: (one, size) =>
      json("PATCH", `${pathOf(one.model)}/many${firstRows(one, size)}`, { ownerId: one.nextIndex() % 5 }),
  },
  {
    key: "bulk delete by key",
    max: 320,
    toCall: async (one, size) => {
      const { running, model } = one;
      const from = one.nextIndex();
      await insertRows(running.databaseUrl, model, running.models, { from, count: size });
      return json("DELETE", `${pathOf(model)}/many`, {
        ids: indexes(size, from).map((index) => keyAsValue(one, index)),
      });
    },
  },
  {
    key: "create through a relation",
    max: 64,
    models: ["Area"],
    features: feature("writable", ["children"]),
    // A member with a unique value only would connect a row.
    toCall: (one, size) => {
      const children = bodies(one, size, one.nextIndex()).map((body) => ({ ...body, note: "new" }));
      return json("PATCH", "/areas/1", { children });
    },
  },
  {
    key: "update through a relation",
    max: 64,
    models: ["Item"],
    features: () => feature("writable", ["items"])("Area"),
    toCall: (one, size) => {
      const items = indexes(size).map((index) => ({
        ...key(one, index * referencedRows),
        ownerId: one.nextIndex() % 5,
      }));
      return json("PATCH", "/areas/1", { items });
    },
  },
  {
    key: "events of a bulk",
    max: 320,
    hasEvents: true,
    features: feature("changes", { history: false, events: true }),
    toCall: (one, size) => json("POST", `${pathOf(one.model)}/many`, bodies(one, size, one.nextIndex())),
  },
  {
    key: "mcp find",
    max: 96,
    repeat: 10,
    toCall: ({ model }, size) => callTool("find", { resource: pathOf(model).slice(1), limit: size }),
  },
];
