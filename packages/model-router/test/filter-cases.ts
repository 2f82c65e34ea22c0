import type { StoredField } from "@servicekit/prisma";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import {
  type ColumnKind,
  columnKinds,
  everyOperator,
  exactText,
  listKinds,
  literal,
  looseText,
  quote,
} from "./column-kinds.js";
import { type Shelf, shelfModels, startShelf } from "./shelf.js";

const paths = { Value: "/values", Must: "/musts", Listing: "/listings" } as const;
type Table = keyof typeof paths;

/** The columns whose filters `npm test` tries; `npm run test:slow` tries the others. */
const sample: Readonly<Record<Table, readonly string[]>> = {
  Value: ["string", "int", "decimal", "dateTime", "json", "size", "uuid"],
  Must: ["string", "json"],
  Listing: ["strings", "ints"],
};
export const isSample = (model: Table, column: string): boolean => sample[model].includes(column);

/** Tests of every operator of the columns that are taken, against SQL of its own (C18). */
export function describeFilters(isTaken: (model: Table, column: string) => boolean): void {
  let shelf: Shelf;
  beforeAll(async () => {
    shelf = await startShelf(inject("postgresUrl"));
    await seed("Value", columnKinds, true);
    await seed("Must", columnKinds, false);
    await seedLists();
  });
  afterAll(() => shelf?.close());

  const tableOf = (model: Table): string => `"${shelfModels.get(model)?.table}"`;
  function fieldOf(model: Table, name: string): StoredField {
    const field = shelfModels.get(model)?.fieldsByName.get(name);
    if (field?.kind !== "scalar" && field?.kind !== "enum") throw new Error(`${model}.${name}`);
    return field;
  }
  const columnOf = (model: Table, name: string): string => `"${fieldOf(model, name).column}"`;

  /** Row n has the n-th value of every kind; where a kind has no more, NULL or its first values again. */
  async function seed(model: Table, kinds: Readonly<Record<string, ColumnKind>>, withNulls: boolean): Promise<void> {
    const names = Object.keys(kinds);
    const max = Math.max(...Object.values(kinds).map(({ values }) => values.length)) + 1;
    const rows = Array.from({ length: max }, (_, row) =>
      names.map((name) => {
        const kind = kinds[name] as ColumnKind;
        const value = kind.values[withNulls ? row : row % kind.values.length];
        return value === undefined ? "NULL" : literal(kind, value);
      }),
    );
    const columns = names.map((name) => columnOf(model, name)).join(", ");
    await shelf.sql(
      `INSERT INTO ${tableOf(model)} (${columns}) VALUES ${rows.map((row) => `(${row.join(", ")})`).join(", ")}`,
    );
    if (withNulls)
      await shelf.sql(
        `INSERT INTO ${tableOf(model)} ("json", "plainJson") VALUES ('null', 'null'), ('{"a":1}', '[1]')`,
      );
  }

  /** Lists of no value, NULL, one value, two, and all. */
  async function seedLists(): Promise<void> {
    const names = Object.keys(listKinds);
    const shapes: readonly ((values: readonly string[]) => readonly string[] | undefined)[] = [
      () => [],
      () => undefined,
      (values) => values.slice(0, 1),
      (values) => values.slice(1, 2),
      (values) => values.slice(0, 2),
      (values) => [...values.slice(0, 2)].reverse(),
      (values) => values,
    ];
    for (const shape of shapes) {
      const lists = names.map((name) => {
        const kind = listKinds[name] as ColumnKind;
        const values = shape(kind.values);
        return values === undefined ? "NULL" : arrayOf(kind, values);
      });
      const columns = names.map((name) => columnOf("Listing", name)).join(", ");
      await shelf.sql(`INSERT INTO ${tableOf("Listing")} (${columns}) VALUES (${lists.join(", ")})`);
    }
  }

  const arrayOf = (kind: ColumnKind, values: readonly string[]): string =>
    `ARRAY[${values.map((value) => literal(kind, value)).join(", ")}]::${kind.type}[]`;

  async function idsBySql(model: Table, condition: string): Promise<number[]> {
    const rows = await shelf.sql<{ id: number }>(`SELECT id FROM ${tableOf(model)} WHERE ${condition} ORDER BY id`);
    return rows.map(({ id }) => id);
  }

  async function idsByHttp(model: Table, name: string, value: string): Promise<number[]> {
    const filter = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    const { status, body } = await shelf.call("GET", `${paths[model]}?${filter}&fields=id&limit=100`);
    if (status !== 200) throw new Error(`${name}=${value}: ${JSON.stringify(body)}`);
    return body.data.map(({ id }: { id: number }) => id);
  }

  /** An operand as a client must write it: text that could be read as another type is quoted. */
  function written(kind: ColumnKind, value: string, isItem: boolean): string {
    if (kind.type.startsWith("json")) return value;
    const isPlain = !value.startsWith('"') && value !== "null" && !(isItem && (value === "" || /[,\\]/.test(value)));
    return isPlain ? value : `"${value.replaceAll(/["\\]/g, "\\$&")}"`;
  }

  const signs: Readonly<Record<string, string>> = { equals: "=", not: "<>", lt: "<", lte: "<=", gt: ">", gte: ">=" };

  /** What an operator means, in SQL of its own. */
  function meaning(column: string, kind: ColumnKind, operator: string, values: readonly string[]): string {
    const isJson = kind.type.startsWith("json");
    const compared = isJson ? `${column}::jsonb` : column;
    const items = values.map((value) => (isJson ? `${quote(value)}::jsonb` : literal(kind, value)));
    const operand = `${quote(values[0] ?? "")}::text`;
    const complete = `${column}::text`;
    const lower = `lower(${complete})`;
    switch (operator) {
      case "in":
        return `${compared} IN (${items.join(", ")})`;
      case "notIn":
        return `${compared} NOT IN (${items.join(", ")})`;
      case "contains":
        return `strpos(${complete}, ${operand}) > 0`;
      case "startsWith":
        return `starts_with(${complete}, ${operand})`;
      case "endsWith":
        return `right(${complete}, length(${operand})) = ${operand}`;
      case "icontains":
        return `strpos(${lower}, lower(${operand})) > 0`;
      case "istartsWith":
        return `starts_with(${lower}, lower(${operand}))`;
      case "iendsWith":
        return `right(${lower}, length(${operand})) = lower(${operand})`;
      case "iequals":
        return `${lower} = lower(${operand})`;
      case "not":
        return isJson ? `${compared} <> ${items[0]} AND ${compared} <> 'null'` : `${compared} <> ${items[0]}`;
      default:
        return `${compared} ${signs[operator]} ${items[0]}`;
    }
  }

  const isTextOperator = (operator: string): boolean => [...exactText, ...looseText].includes(operator);
  const spellings = (name: string, operator: string): readonly string[] => [
    `${name}__${operator}`,
    `${name}[${operator}]`,
  ];

  const columns = (["Value", "Must"] as const).flatMap((model) =>
    Object.entries(columnKinds)
      .filter(([name]) => isTaken(model, name))
      .map(([name, kind]) => ({ model, name, kind, title: `${model}.${name}` })),
  );

  describe.each(columns)("C18 $title", ({ model, name, kind }) => {
    const column = columnOf(model, name);

    it.each(kind.operators)("%s finds the rows that SQL finds, in both spellings", async (operator) => {
      const isList = operator === "in" || operator === "notIn";
      const pieces = isTextOperator(operator) ? [...kind.values, "%", "_", "\\", "B", "100%"] : kind.values;
      // A required column takes the same way: a few values are enough there.
      const max = model === "Must" ? 2 : pieces.length;
      const operands = isList
        ? [kind.values.slice(0, 1), kind.values.slice(1, 4), kind.values]
        : pieces.slice(0, max).map((one) => [one]);
      for (const [index, values] of operands.entries()) {
        const expected = await idsBySql(model, meaning(column, kind, operator, values));
        const text = values.map((value) => written(kind, value, isList)).join(",");
        const both = spellings(name, operator);
        for (const spelling of index === 0 ? both : [both[index % 2] ?? ""]) {
          expect({ spelling, text, ids: await idsByHttp(model, spelling, text) }).toEqual({
            spelling,
            text,
            ids: expected,
          });
        }
      }
    });

    it("without an operator means equals, or in for several", async () => {
      if (!kind.operators.includes("equals")) return;
      for (const value of kind.values.slice(0, model === "Must" ? 2 : undefined)) {
        const expected = await idsBySql(model, meaning(column, kind, "equals", [value]));
        expect([value, await idsByHttp(model, name, written(kind, value, true))]).toEqual([value, expected]);
      }
      if (!kind.operators.includes("in")) return;
      const expected = await idsBySql(model, meaning(column, kind, "in", kind.values.slice(0, 2)));
      const several = kind.values.slice(0, 2).map((value) => written(kind, value, true));
      expect(await idsByHttp(model, name, several.join(","))).toEqual(expected);
      const repeated = several.map((value) => `${name}=${encodeURIComponent(value)}`).join("&");
      const marked = several.map((value) => `${name}[]=${encodeURIComponent(value)}`).join("&");
      for (const query of [repeated, marked]) {
        const { body } = await shelf.call("GET", `${paths[model]}?${query}&fields=id&limit=100`);
        expect(body.data?.map((row: { id: number }) => row.id)).toEqual(expected);
      }
    });

    it("isNull and null match NULL if the column is nullable", async () => {
      const isJson = kind.type.startsWith("json");
      const nothing = `(${column} IS NULL${isJson ? ` OR ${column}::jsonb = 'null'` : ""})`;
      const misfit = async (parameter: string, value: string) => {
        const { status, body } = await shelf.call("GET", `${paths[model]}?${parameter}=${value}`);
        expect([status, body.errors?.[0]?.path]).toEqual([400, `/${parameter}`]);
      };
      // A required JSON column may still contain the JSON value null.
      if (model === "Must" && !isJson) {
        for (const spelling of spellings(name, "isNull")) await misfit(spelling, "true");
        return;
      }
      const some = await idsBySql(model, nothing);
      const others = await idsBySql(model, `NOT ${nothing}`);
      if (model === "Value") expect(some.length * others.length).toBeGreaterThan(0);
      for (const spelling of spellings(name, "isNull")) {
        expect(await idsByHttp(model, spelling, "true")).toEqual(some);
        expect(await idsByHttp(model, spelling, "false")).toEqual(others);
        for (const value of ["", "1", "null", "TRUE"]) await misfit(spelling, value);
      }
      if (!kind.operators.includes("equals")) return;
      expect(await idsByHttp(model, name, "null")).toEqual(some);
      expect(await idsByHttp(model, `${name}__equals`, "null")).toEqual(some);
      expect(await idsByHttp(model, `${name}__not`, "null")).toEqual(others);
      if (!kind.operators.includes("in")) return;
      const [first = ""] = kind.values;
      const item = written(kind, first, true);
      const isFirst = meaning(column, kind, "equals", [first]);
      const either = await idsBySql(model, `${isFirst} OR ${nothing}`);
      expect(await idsByHttp(model, name, `${item},null`)).toEqual(either);
      expect(await idsByHttp(model, `${name}__in`, `null,${item}`)).toEqual(either);
      expect(await idsByHttp(model, `${name}[notIn]`, `${item},null`)).toEqual(
        await idsBySql(model, `NOT (${isFirst}) AND NOT ${nothing}`),
      );
      if (kind.operators.includes("gt") && kind.type !== "text" && !kind.type.includes("char"))
        await misfit(`${name}__gt`, "null");
    });

    it("rejects every other operator, and every operand of another type, and names the parameter", async () => {
      const fitting =
        model === "Value" || kind.type.startsWith("json") ? [...kind.operators, "isNull"] : kind.operators;
      const [first = ""] = kind.values;
      for (const operator of [...everyOperator, "Equals", "toString", "constructor", "gt__lt"]) {
        if (fitting.includes(operator)) continue;
        for (const spelling of operator === "gt__lt" ? [`${name}__gt__lt`] : spellings(name, operator)) {
          const { status, body } = await shelf.call("GET", `${paths[model]}?${spelling}=${encodeURIComponent(first)}`);
          expect([status, body.errors?.[0]?.path]).toEqual([400, `/${spelling}`]);
        }
      }
      const operators = kind.operators.filter((operator) => !isTextOperator(operator));
      for (const [index, misfit] of kind.misfits.entries()) {
        // The empty text is the empty list.
        const fit = misfit === "" ? operators.filter((operator) => !operator.toLowerCase().endsWith("in")) : operators;
        const operator = fit[index % fit.length] ?? kind.operators[0] ?? "";
        for (const spelling of [spellings(name, operator)[index % 2] ?? "", name]) {
          const query = `${spelling}=${encodeURIComponent(misfit)}`;
          const { status, body } = await shelf.call("GET", `${paths[model]}?${query}`);
          expect([query, status, body.errors?.[0]?.path]).toEqual([query, 400, `/${spelling}`]);
        }
      }
    });
  });

  const lists = Object.entries(listKinds)
    .filter(([name]) => isTaken("Listing", name))
    .map(([name, kind]) => ({ name, kind, title: `Listing.${name}` }));
  describe.each(lists)("C18 $title", ({ name, kind }) => {
    const column = columnOf("Listing", name);
    const compared: Readonly<Record<string, (values: readonly string[]) => string>> = {
      has: ([value = ""]) => `${literal(kind, value)} = ANY(${column})`,
      hasSome: (values) => `${column} && ${arrayOf(kind, values)}`,
      hasEvery: (values) => `${column} @> ${arrayOf(kind, values)}`,
      equals: (values) => `${column} = ${arrayOf(kind, values)}`,
    };

    it.each(kind.operators.filter((operator) => operator !== "isEmpty"))(
      "%s finds the rows that SQL finds",
      async (operator) => {
        const { values } = kind;
        const lists =
          operator === "has"
            ? values.map((one) => [one])
            : [values.slice(0, 1), values.slice(0, 2), values.slice(1, 2), values];
        for (const list of lists) {
          const expected = await idsBySql("Listing", compared[operator]?.(list) ?? "");
          const text = list.map((value) => written(kind, value, operator !== "has")).join(",");
          for (const spelling of spellings(name, operator)) {
            expect({ spelling, text, ids: await idsByHttp("Listing", spelling, text) }).toEqual({
              spelling,
              text,
              ids: expected,
            });
          }
        }
      },
    );

    it("isEmpty matches the empty list and NULL", async () => {
      const isEmpty = `${column} IS NULL OR cardinality(${column}) = 0`;
      for (const spelling of spellings(name, "isEmpty")) {
        expect(await idsByHttp("Listing", spelling, "true")).toEqual(await idsBySql("Listing", isEmpty));
        expect(await idsByHttp("Listing", spelling, "false")).toEqual(await idsBySql("Listing", `NOT (${isEmpty})`));
      }
    });

    it("without an operator means has, or hasSome for several", async () => {
      const [first = "", second = ""] = kind.values;
      const one = await idsBySql("Listing", compared.has?.([first]) ?? "");
      expect(await idsByHttp("Listing", name, written(kind, first, true))).toEqual(one);
      if (!kind.operators.includes("hasSome")) return;
      const both = await idsBySql("Listing", compared.hasSome?.([first, second]) ?? "");
      expect(
        await idsByHttp("Listing", name, [first, second].map((one) => written(kind, one, true)).join(",")),
      ).toEqual(both);
    });

    it("rejects every other operator and operand, and names the parameter", async () => {
      const [first = ""] = kind.values;
      for (const operator of everyOperator.filter((one) => !kind.operators.includes(one))) {
        for (const spelling of spellings(name, operator)) {
          const { status, body } = await shelf.call("GET", `/listings?${spelling}=${encodeURIComponent(first)}`);
          expect([spelling, status, body.errors?.[0]?.path]).toEqual([spelling, 400, `/${spelling}`]);
        }
      }
      for (const misfit of kind.misfits) {
        const query = `${name}__has=${encodeURIComponent(misfit)}`;
        const { status, body } = await shelf.call("GET", `/listings?${query}`);
        expect([query, status, body.errors?.[0]?.path]).toEqual([query, 400, `/${name}__has`]);
      }
    });
  });

  it("no filter causes a server error", () => {
    expect(shelf.logged).toEqual([]);
  });
}
