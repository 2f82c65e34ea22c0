import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { makeDraw } from "../../../scripts/test/random-draw.js";
import type { ModelConfig } from "../src/index.js";
import { fillShelf } from "./compare-random-reads.js";
import { type Guarded, makeWorld, type Who, type World } from "./guarded.js";

const byRole = (roles: Readonly<Record<string, object>>): ModelConfig => ({
  export: true,
  auth: {
    where: (request) => {
      const who = String(request.headers["x-who"]);
      return (Object.entries(roles).find(([role]) => who.includes(role))?.[1] ?? true) as never;
    },
  },
});

const models: Readonly<Record<string, { sort: readonly string[]; filters: readonly string[]; include: string[] }>> = {
  values: {
    sort: ["id", "string", "boolean", "int", "bigInt", "float", "decimal", "dateTime", "size", "uuid", "real", "time"],
    filters: ["int__gte=1", "string__ne=a", "float__lt=10", "decimal__isnull=true", "size__isnull=false", "id__gt=77"],
    include: [],
  },
  books: {
    sort: ["title", "pages", "score", "price", "publishedAt", "size", "publisher.name", "cover.color", "id"],
    filters: ["pages__gte=1", "title__ne=a", "publisher.id__lte=2", "score__isnull=true", "search=a"],
    include: ["publisher", "cover", "sequel.publisher", "tags", "authorships.writer"],
  },
  "text-keys": { sort: [], filters: [], include: [] },
  "pair-keys": { sort: [], filters: [], include: [] },
  "day-keys": { sort: [], filters: [], include: [] },
  writers: { sort: ["-id"], filters: [], include: ["authorships"] },
};
const callers: readonly Who[] = [undefined, ["few"], ["none"], "root"];

/** Declares a test that compares exports with the pages of the same list, for random queries. */
export function compareExports({ first, runs }: { readonly first: number; readonly runs: number }): void {
  let world: World;
  let served: Guarded;

  beforeAll(async () => {
    // Each read of an export is compared with the other engine.
    vi.stubEnv("READS", "both");
    world = await makeWorld(inject("postgresUrl"));
    await fillShelf(world.database);
    for (const [table, copies] of [
      ["all values", 14],
      ["Book", 30],
    ] as const) {
      const columns = await world.sql<{ name: string }>(
        `SELECT quote_ident(column_name) AS name FROM information_schema.columns
       WHERE table_name = '${table}' AND column_name NOT IN ('id', 'isbn')`,
      );
      const names = columns.map(({ name }) => name).join();
      await world.sql(
        `INSERT INTO "${table}" (${names}) SELECT ${names} FROM "${table}", generate_series(1, ${copies})`,
      );
    }
    served = await world.serve({
      include: { depth: 3, rows: 5, total: 2_000 },
      models: {
        Value: { export: true },
        TextKey: { export: true },
        PairKey: { export: true },
        DayKey: { export: true },
        Book: byRole({ few: { pages: { lt: 20 } }, none: { id: 0 } }),
        Publisher: byRole({ few: { id: { gt: 1 } } }),
        Cover: byRole({ few: { color: "a" } }),
        Tag: byRole({ few: { name: { not: "a" } } }),
        Writer: { export: true },
      },
    });
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    expect(served?.logged).toEqual([]);
    await world?.close();
  });

  async function allPages(target: string, who: Who): Promise<unknown> {
    const rows: unknown[] = [];
    for (let page = 1; ; page++) {
      const { status, text } = await served.call("GET", `${target}&count=false&limit=100&page=${page}`, undefined, who);
      if (status !== 200) return status;
      const { data } = JSON.parse(text) as { data: unknown[] };
      rows.push(...data);
      if (data.length < 100) return rows;
    }
  }

  async function exported(target: string, who: Who): Promise<unknown> {
    const { status, text } = await served.call("GET", target, undefined, who, { accept: "application/x-ndjson" });
    if (status !== 200) return status;
    return text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  it("an export has the rows that its caller can list, in their order, for random queries and callers", async () => {
    let compared = 0;
    for (let seed = first; seed < first + runs; seed++) {
      const draw = makeDraw(seed);
      const name = draw.pick(["values", "books", "books", ...Object.keys(models)]);
      const { sort, filters, include } = models[name] as (typeof models)[string];
      const some = (from: readonly string[], max: number): string[] =>
        from.length === 0 ? [] : [...new Set(Array.from({ length: draw.below(max + 1) }, () => draw.pick(from)))];
      const order = some(sort, 2).map((field) => (draw.chance(0.4) && !field.startsWith("-") ? `-${field}` : field));
      const query = [
        ...(order.length > 0 ? [`sort=${order.join()}`] : []),
        ...some(filters, 2),
        ...(draw.chance(0.4) && include.length > 0 ? [`include=${draw.pick(include)}`] : []),
        ...(draw.chance(0.3) && order.length > 0
          ? [`fields=${order.map((key) => key.replace(/^-|\..*/g, "")).join()}`]
          : []),
      ];
      const target = `/${name}?${query.join("&")}`;
      const who = draw.pick(callers);
      const about = `seed ${seed}: ${target} of ${JSON.stringify(who)}`;
      const listed = await allPages(target, who);
      expect(await exported(target, who), about).toEqual(listed);
      if (!Array.isArray(listed)) continue;
      if (listed.length > 100) compared++;
      const flat = target.replace(/&?include=(tags|authorships)[^&]*/, "");
      const { status, text } = await served.call("GET", flat, undefined, who, { accept: "text/csv" });
      expect(status, about).toBe(200);

      expect(parse(text), about).toHaveLength(listed.length + 1);
    }
    expect(compared).toBeGreaterThan(runs / 20);
  });
}
