import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Group } from "../src/aggregates/aggregate-args.js";
import { type Clause, type Database, makeDatabase, type StoredField } from "../src/index.js";
import {
  chooseEngine,
  condition,
  type DatePart,
  type Filter,
  groupField,
  hasPeriods,
  type Measure,
  measureOperators,
  measuresOf,
  periodField,
} from "../src/internal.js";
import { makePostgresAdapter } from "../src/postgres/index.js";
import { PrismaClient } from "./generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "./kinds.js";

let kinds: Kinds;
const opened: Database[] = [];

function open(engine: "SQL" | "Prisma Client"): Database {
  const adapter = makePostgresAdapter({ url: kinds.url });
  const client = new PrismaClient({ adapter });
  const choice = engine === "SQL" ? chooseEngine({ client, adapter, models, schema: "public" }) : {};
  const database = makeDatabase({ client, models, schema: "public", ...choice });
  opened.push(database);
  return database;
}

beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  await kinds.sql(`INSERT INTO "Scalar" (string, boolean, int, "bigInt", float, decimal, "dateTime", stage) VALUES
    ('a', true, 1, 9007199254740993, 0.5, 1.10, '2023-12-31 23:30', 'DRAFT'),
    ('a', false, 4, 9007199254740993, NULL, 2.25, '2024-02-01 00:30', 'in review'),
    ('b', true, NULL, 5, 1.5, 0.30, '2024-02-29 12:00', 'DRAFT'),
    (NULL, NULL, 2, NULL, 2, NULL, NULL, NULL)`);
  await kinds.sql(`INSERT INTO "Native" (id, "smallInt", oid, money, decimal, real, date, timestamptz, time, timetz, uuid) VALUES
    (gen_random_uuid(), 7, 3, 1.25, 10.25, 0.1, '2024-03-05', '2023-12-31 23:30Z', '10:00', '12:00+02', gen_random_uuid()),
    (gen_random_uuid(), 8, 4, 2.50, 0.25, 0.2, '2024-04-01', '2024-01-01 12:00Z', '09:00', '11:00+00', gen_random_uuid())`);
  await kinds.sql(`INSERT INTO people (id, email_address, password, karma, "updatedAt", "managerId") VALUES
    (1, 'ann@x', 'p', 3, now(), NULL), (2, 'ben@x', 'p', 1, now(), 1), (3, 'cat@x', 'p', 1, now(), 1)`);
});
afterAll(async () => {
  await Promise.all(opened.map((database) => database.disconnect()));
  await kinds?.close();
});

function fieldOf(model: string, name: string): StoredField {
  const field = models.get(model)?.fieldsByName.get(name);
  return field?.kind === "scalar" || field?.kind === "enum" ? field : expect.fail(`${model}.${name}`);
}
const storedOf = (model: string): ReadonlyMap<string, StoredField> =>
  new Map(
    (models.get(model)?.fields ?? []).flatMap((field) =>
      field.kind === "scalar" || field.kind === "enum" ? [[field.name, field] as const] : [],
    ),
  );
const measureOf = (model: string, name: string): Measure =>
  measuresOf(storedOf(model)).get(name) ?? expect.fail(`${model} has no measure ${name}`);

interface Asked {
  readonly model?: string;
  readonly where?: Clause;
  /** `field`, `field:period`, or `relation.field` with the related rows that count. */
  readonly groups?: readonly (string | { readonly name: string; readonly where: Clause })[];
  readonly measures?: readonly string[];
  /** The measures of the response. */
  readonly shown?: readonly string[];
  readonly having?: (measure: (name: string) => StoredField) => Filter;
  readonly orderBy?: readonly string[];
  readonly timeZone?: string;
  readonly take?: number;
  readonly skip?: number;
  readonly maxShown?: number;
}

function groupOf(model: string, given: string | { readonly name: string; readonly where: Clause }, at: number): Group {
  const { name, where } = typeof given === "string" ? { name: given, where: undefined } : given;
  const [path = "", part] = name.split(":");
  const [relation, related] = path.split(".");
  const isRelated = related !== undefined;
  const target = models.get(model)?.fieldsByName.get(relation ?? "");
  const of = isRelated ? fieldOf(target?.type ?? "", related) : fieldOf(model, path);
  return {
    ...{ name, of, part: part as DatePart | undefined },
    path: isRelated ? [{ relation: relation ?? "", where }] : [],
    field: part === undefined ? groupField(of, name, `g${at}`) : periodField(name, `g${at}`),
  };
}

async function aggregate(database: Database, asked: Asked) {
  const {
    model = "Scalar",
    measures: names = ["count"],
    timeZone = "UTC",
    take = 20,
    skip = 0,
    maxShown = take,
  } = asked;
  const groups = (asked.groups ?? []).map((given, at) => groupOf(model, given, at));
  const measures = names.map((name) => measureOf(model, name));
  const fieldNamed = (name: string): StoredField =>
    [...groups, ...measures].find((one) => one.name === name)?.field ?? expect.fail(name);
  const orderBy = (asked.orderBy ?? []).map((key) => ({
    field: fieldNamed(key.replace(/^-/, "")),
    direction: key.startsWith("-") ? ("desc" as const) : ("asc" as const),
  }));
  const result = await database.of(model).execute({
    operation: "aggregate",
    shown: maxShown,
    args: {
      ...(asked.where && { where: asked.where }),
      ...{ groups, measures, orderBy, timeZone, take, skip },
      shown: new Set(asked.shown ?? names),
      having: asked.having?.(fieldNamed),
    },
  });
  return "json" in result ? { rows: JSON.parse(String(result.json)), found: result.found } : expect.fail("no JSON");
}

describe.each(["SQL", "Prisma Client"] as const)("C98 an aggregate by %s", (engine) => {
  let database: Database;
  beforeAll(() => {
    database = open(engine);
  });
  const rowsOf = async (asked: Asked) => (await aggregate(database, asked)).rows;

  it("of all rows is one row with exact values", async () => {
    const measures = ["count", "sum.int", "sum.bigInt", "sum.float", "sum.decimal", "avg.float", "avg.decimal"];
    const extremes = ["min.int", "max.int", "min.bigInt", "max.float", "min.decimal", "min.string", "max.dateTime"];
    expect(await aggregate(database, { measures: [...measures, ...extremes], where: { id: { lt: 4 } } })).toEqual({
      found: 1,
      rows: [
        {
          count: 3,
          sum: { int: "5", bigInt: "18014398509481991", float: 2, decimal: "3.65" },
          avg: { float: 1, decimal: expect.stringMatching(/^1\.21666/) },
          min: { int: 1, bigInt: "5", decimal: "0.3", string: "a" },
          max: { int: 4, float: 1.5, dateTime: "2024-02-29T12:00:00.000Z" },
        },
      ],
    });
  });

  it("of no rows is null, with the count 0", async () => {
    const asked = { measures: ["count", "sum.int", "max.string"], where: { id: 99 } };
    expect(await rowsOf(asked)).toEqual([{ count: 0, sum: { int: null }, max: { string: null } }]);
    expect(await aggregate(database, { ...asked, skip: 1 })).toEqual({ rows: [], found: 0 });
    expect(await rowsOf({ ...asked, groups: ["string"], orderBy: ["string"] })).toEqual([]);
  });

  it("has one row for each value of a group, with NULL as one", async () => {
    expect(await rowsOf({ groups: ["string"], measures: ["count", "sum.int"], orderBy: ["string"] })).toEqual([
      { group: { string: "a" }, count: 2, sum: { int: "5" } },
      { group: { string: "b" }, count: 1, sum: { int: null } },
      { group: { string: null }, count: 1, sum: { int: "2" } },
    ]);
    expect(
      await rowsOf({ groups: ["stage", "boolean"], orderBy: ["stage", "boolean"], where: { id: { lt: 4 } } }),
    ).toEqual([
      { group: { stage: "DRAFT", boolean: true }, count: 2 },
      { group: { stage: "IN_REVIEW", boolean: false }, count: 1 },
    ]);
  });

  it("is sorted by measures, and shows some of them", async () => {
    const asked = { groups: ["string"], measures: ["count", "sum.decimal"], where: { id: { lt: 4 } } };
    expect(await rowsOf({ ...asked, shown: ["count"], orderBy: ["-sum.decimal"] })).toEqual([
      { group: { string: "a" }, count: 2 },
      { group: { string: "b" }, count: 1 },
    ]);
    expect(await rowsOf({ ...asked, shown: ["sum.decimal"], orderBy: ["count"] })).toEqual([
      { group: { string: "b" }, sum: { decimal: "0.3" } },
      { group: { string: "a" }, sum: { decimal: "3.35" } },
    ]);
    expect(await rowsOf({ ...asked, shown: [], orderBy: ["-count"] })).toEqual([
      { group: { string: "a" } },
      { group: { string: "b" } },
    ]);
  });

  it("has pages", async () => {
    const asked = { groups: ["string"], orderBy: ["-string"] };
    const page = async (take: number, skip: number, maxShown = take) => {
      const { rows, found } = await aggregate(database, { ...asked, take, skip, maxShown });
      return [rows.map((row: { group: { string: unknown } }) => row.group.string), found];
    };
    expect(await page(2, 0)).toEqual([[null, "b"], 2]);
    expect(await page(2, 2)).toEqual([["a"], 1]);
    expect(await page(2, 1, 1)).toEqual([["b"], 2]);
  });
});

describe("C98 an aggregate by SQL only", () => {
  let database: Database;
  beforeAll(() => {
    database = open("SQL");
  });
  const rowsOf = async (asked: Asked) => (await aggregate(database, asked)).rows;

  it("counts distinct values, and has averages of integers and money that are not rounded", async () => {
    const measures = ["countDistinct.string", "countDistinct.bigInt", "avg.int", "avg.bigInt"];
    expect(await rowsOf({ measures, where: { id: { lt: 3 } } })).toEqual([
      { countDistinct: { string: 1, bigInt: 1 }, avg: { int: "2.5", bigInt: "9007199254740993" } },
    ]);
    const native = ["sum.smallInt", "avg.money", "sum.money", "sum.decimal", "sum.real", "min.time", "min.timetz"];
    expect(await rowsOf({ model: "Native", measures: native })).toEqual([
      {
        sum: { smallInt: "15", money: "3.75", decimal: "10.50", real: expect.closeTo(0.3, 6) },
        avg: { money: "1.875" },
        min: { time: "1970-01-01T09:00:00.000Z", timetz: "1970-01-01T10:00:00.000Z" },
      },
    ]);
  });

  it.each([
    ["dateTime:month", "UTC", ["2023-12-01", "2024-02-01", null]],
    ["dateTime:month", "Europe/Zurich", ["2024-01-01", "2024-02-01", null]],
    ["dateTime:month", "America/New_York", ["2023-12-01", "2024-01-01", "2024-02-01", null]],
    ["dateTime:day", "UTC", ["2023-12-31", "2024-02-01", "2024-02-29", null]],
    ["dateTime:week", "UTC", ["2023-12-25", "2024-01-29", "2024-02-26", null]],
    ["dateTime:quarter", "UTC", ["2023-10-01", "2024-01-01", null]],
    ["dateTime:year", "UTC", ["2023-01-01", "2024-01-01", null]],
  ])("groups dates by %s in the time zone %s", async (name, timeZone, expected) => {
    const rows = await rowsOf({ groups: [name], orderBy: [name], timeZone });
    expect(rows.map(({ group }: { group: Record<string, unknown> }) => group[name])).toEqual(expected);
  });

  it("groups moments in a time zone, and days without one", async () => {
    const grouped = async (name: string) => {
      const rows = await rowsOf({ model: "Native", groups: [name], orderBy: [name], timeZone: "Europe/Zurich" });
      return rows.map(({ group }: { group: Record<string, unknown> }) => group[name]);
    };
    expect(await grouped("timestamptz:year")).toEqual(["2024-01-01"]);
    expect(await grouped("date:month")).toEqual(["2024-03-01", "2024-04-01"]);
  });

  it("groups by fields of related rows, those that may be read", async () => {
    const asked = { model: "Author", orderBy: ["manager.email"] };
    expect(await rowsOf({ ...asked, groups: ["manager.email"] })).toEqual([
      { group: { "manager.email": "ann@x" }, count: 2 },
      { group: { "manager.email": null }, count: 1 },
    ]);
    expect(await rowsOf({ ...asked, groups: [{ name: "manager.email", where: { karma: { lt: 3 } } }] })).toEqual([
      { group: { "manager.email": null }, count: 3 },
    ]);
  });

  it("has conditions on measures", async () => {
    const asked = { groups: ["string"], measures: ["count", "sum.int"], orderBy: ["string"] };
    const stringsWith = async (having: Asked["having"]) => {
      const rows = await rowsOf({ ...asked, ...(having && { having }) });
      return rows.map(({ group }: { group: { string: unknown } }) => group.string);
    };
    expect(await stringsWith((measure) => condition(measure("count"), "gte", 2))).toEqual(["a"]);
    expect(await stringsWith((measure) => condition(measure("sum.int"), "isNull", true))).toEqual(["b"]);
    expect(await stringsWith((measure) => condition(measure("sum.int"), "lt", 5n))).toEqual([null]);
  });
});

describe("C98 an aggregate that only SQL computes", () => {
  it.each<readonly [Asked, string, string]>([
    [
      { model: "Author", groups: ["manager.email"] },
      "groupBy",
      "does not group by manager.email, a field of another model",
    ],
    [{ groups: ["dateTime:day"] }, "groupBy", "does not group by dateTime:day, a part of a date"],
    [{ measures: ["countDistinct.int"] }, "countDistinct", "does not count distinct values"],
    [{ measures: ["avg.int"] }, "avg", "rounds avg.int"],
    [{ measures: ["avg.bigInt"] }, "avg", "rounds avg.bigInt"],
    [
      { groups: ["string"], having: (measure) => condition(measure("count"), "gt", 1) },
      "having",
      "does not compare every measure exactly",
    ],
    [
      { model: "Summary", groups: ["email"], orderBy: ["count"] },
      "sort",
      "does not sort by count without a key of Summary",
    ],
  ])("is rejected by Prisma Client: %j", async (asked, parameter, reason) => {
    await expect(aggregate(open("Prisma Client"), asked)).rejects.toMatchObject({
      status: 400,
      code: "ValidationError",
      errors: [{ in: "query", path: `/${parameter}`, code: "Unsupported", message: expect.stringContaining(reason) }],
    });
  });
});

describe("C98 the measures of fields", () => {
  const namesOf = (model: string, field: string) =>
    [...measuresOf(storedOf(model)).keys()].flatMap((name) => (name.endsWith(`.${field}`) ? [name.split(".")[0]] : []));

  it.each([
    ["Scalar", "int", ["sum", "avg", "min", "max", "countDistinct"]],
    ["Scalar", "string", ["min", "max", "countDistinct"]],
    ["Scalar", "stage", ["min", "max", "countDistinct"]],
    ["Scalar", "boolean", ["countDistinct"]],
    ["Scalar", "bytes", ["countDistinct"]],
    ["Scalar", "json", []],
    ["Native", "oid", ["min", "max", "countDistinct"]],
    ["Native", "uuid", ["countDistinct"]],
    ["Native", "bit", ["countDistinct"]],
    ["Native", "xml", []],
    ["Collection", "ints", []],
  ])("%s.%s are those that PostgreSQL computes", (model, field, expected) => {
    expect(namesOf(model, field)).toEqual(expected);
  });

  it("are compared by ranges, and with null", () => {
    expect(measureOperators(measureOf("Scalar", "max.string"))).toEqual(
      "equals not in notIn lt lte gt gte isNull".split(" "),
    );
    expect(measureOperators(measureOf("Scalar", "count"))).not.toContain("isNull");
  });

  it("have periods only of dates", () => {
    const withPeriods = ["Native", "Scalar", "Collection"].flatMap((model) =>
      [...storedOf(model).values()].flatMap((field) => (hasPeriods(field) ? [field.name] : [])),
    );
    expect(withPeriods).toEqual(["timestamp", "timestamptz", "date", "dateTime"]);
  });
});
