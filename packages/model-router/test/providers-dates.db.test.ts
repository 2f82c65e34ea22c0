import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { providers } from "../../../scripts/test/provider-database.js";
import { type Portable, startPortable } from "./portable.js";

/** Dates that a provider neither stores nor compares; in year 0 only MySQL rejects a comparison. */
const outside = {
  postgresql: ["+294277-01-01", "-004714-01-01", "+300000-01-01T00:00:00Z", "-271821-04-20T00:00:00Z"],
  sqlite: ["infinity", "-infinity"],
  mysql: ["infinity", "-infinity", "0999-12-31T23:59:59.999Z", "0001-01-01", "0000-01-01", "1000-01-01T00:30:00+01:00"],
} as const;
const beyond = [
  "+010000-01-01",
  "+010000-01-01T00:00:00Z",
  "9999-12-31T23:30:00-01:00",
  "+275760-09-13T00:00:00Z",
  "+300000-01-01",
  "+9999999-12-31",
  "-000001-12-31",
  "-000001-12-31T23:59:59.999Z",
  "0000-01-01T00:30:00+01:00",
  "-271821-04-20T00:00:00Z",
  "-271821-04-19",
];
/** The first and the last moment that each provider stores. */
const ends = {
  postgresql: ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"],
  sqlite: ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"],
  mysql: ["1000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"],
} as const;

describe.each(providers)("C140 dates of %s", (provider) => {
  let service: Portable;
  const stored = [...ends[provider], "2024-01-01T00:00:00.000Z"].sort();
  beforeAll(async () => {
    service = await startPortable(provider, provider === "postgresql" ? inject("postgresUrl") : "", {
      models: { Stamp: { export: true, upsert: true, import: true, aggregate: true } },
    });
    const rows = stored.map((at) => ({ at, due: at, note: "x" }));
    expect((await service.call("POST", "/stamps/many", rows)).status).toBe(201);
  });
  afterAll(() => service?.close());

  const all = async () => (await service.call("GET", "/stamps?sort=at")).body.data.map(({ at }: { at: string }) => at);
  const rejected = provider === "postgresql" ? outside.postgresql : [...beyond, ...outside[provider]];

  it.each(rejected)("%s is 400 in filters, bulk changes and bodies, and nothing changes", async (date) => {
    const text = encodeURIComponent(date);
    for (const operator of ["", "__gt", "__gte", "__lt", "__lte", "__not"])
      for (const [method, path, body] of [
        ["GET", `/stamps?due${operator}=${text}`],
        ["DELETE", `/stamps/many?at${operator}=${text}`],
        ["PATCH", `/stamps/many?due${operator}=${text}`, { note: "changed" }],
        ["GET", `/stamps/aggregate?count=true&due${operator}=${text}`],
        ["GET", `/stamps?or[0][due${operator}]=${text}&or[1][note]=x`],
      ] as const) {
        const response = await service.call(method, path, body);
        expect([method, path, response.status, response.body]).toMatchObject([
          method,
          path,
          400,
          { errors: [{ in: "query" }] },
        ]);
      }
    expect((await service.call("DELETE", `/stamps/many?at__in=${text},${stored[0]}`)).status).toBe(400);
    for (const [method, path, body] of [
      ["POST", "/stamps", { at: date }],
      ["POST", "/stamps", { at: "2000-01-01", due: date }],
      ["PATCH", `/stamps/${stored[0]}`, { due: date }],
      ["POST", "/stamps/many?onConflict=at", [{ at: date }]],
      ["PUT", `/stamps/${stored[0]}`, { due: date }],
    ] as const) {
      const response = await service.call(method, path, body);
      expect([method, path, response.status, response.body]).toMatchObject([
        method,
        path,
        400,
        { errors: [{ in: "body", path: expect.stringMatching(/(at|due)$/) }] },
      ]);
    }
    for (const method of ["GET", "PATCH", "DELETE"])
      expect(
        (await service.call(method, `/stamps/${text}`, method === "PATCH" ? { note: "y" } : undefined)).status,
      ).toBe(404);
    expect((await service.call("DELETE", "/stamps/many", { ids: [date] })).status).toBeGreaterThanOrEqual(400);
    expect(await all()).toEqual(stored);
    expect((await service.call("GET", "/stamps?note=x")).body.data).toHaveLength(3);
  });

  it.skipIf(provider === "postgresql").each(["gt", "gte", "lt", "lte", "equals", "not", "in"])(
    "conditions of hooks and rules with %s reject such dates too",
    async (operator) => {
      for (const date of [new Date(8.64e15), new Date(-8.64e15), new Date("+010000-01-01T00:00:00Z")]) {
        const where = { due: { [operator]: operator === "in" ? [date] : date } };
        const stamps = service.database.of("Stamp");
        for (const nested of [where, { AND: [where] }, { NOT: where }, { OR: [where, { note: "none" }] }])
          for (const work of [
            () => stamps.count({ where: nested }),
            () => stamps.findMany({ where: nested }),
            () => stamps.updateMany({ where: nested, data: { note: "changed" }, select: { at: true } }),
            () => stamps.deleteMany({ where: nested }),
          ])
            await expect(work()).rejects.toMatchObject({ status: 400, code: "ValueOutOfRange" });
        await expect(
          stamps.update({ where: { at: new Date(stored[0] ?? "") }, data: { due: date }, select: { at: true } }),
        ).rejects.toMatchObject({ status: 400 });
        await expect(stamps.create({ data: { at: date }, select: { at: true } })).rejects.toMatchObject({
          status: 400,
        });
      }
      expect(await all()).toEqual(stored);
    },
  );

  it("the first and the last one are stored, compared, sorted and paged", async () => {
    const [first = "", last = ""] = ends[provider];
    const found = async (query: string) =>
      (await service.call("GET", `/stamps?${query}&sort=at`)).body.data.map(({ at }: { at: string }) => at);
    expect(await found(`at__gt=${first}`)).toEqual(stored.slice(1));
    expect(await found(`at__gte=${first}`)).toEqual(stored);
    expect(await found(`at__lt=${last}`)).toEqual(stored.slice(0, -1));
    expect(await found(`at__lte=${last}`)).toEqual(stored);
    expect(await found(`due=${last}`)).toEqual([last]);
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { body } = await service.call("GET", `/stamps?sort=-due&limit=1&cursor=${cursor}`);
      seen.push(body.data[0].at);
      cursor = body.meta.nextCursor;
    }
    expect(seen).toEqual([...stored].reverse());
  });

  it.skipIf(provider === "postgresql")(
    "a cursor or an export that would continue after such a date is 400",
    async () => {
      const values: readonly string[] = [
        "2024-01-01",
        provider === "sqlite" ? "+010000-01-01T00:00:00.000+00:00" : "0500-01-01",
      ];
      const name = provider === "sqlite" ? '"DateTimeKey"' : "DateTimeKey";
      for (const value of values) await service.query(`INSERT INTO ${name} (id) VALUES ('${value}')`);
      const { body } = await service.call("GET", "/date-time-keys?sort=id");
      expect(body.data).toHaveLength(2);
      const { status } = await service.call("GET", "/date-time-keys?sort=id&limit=1&cursor=");
      expect(status).toBe(400);
    },
  );

  it.skipIf(provider === "postgresql")("the rows of an import are 400 too, with the place", async () => {
    const response = await fetch(`${service.url}/stamps/many`, {
      method: "POST",
      headers: { "content-type": "text/csv" },
      body: "at,note\n2000-01-01,y\n+010000-01-01,y\n",
    });
    expect([response.status, await response.json()]).toMatchObject([400, { errors: [{ path: "line 3, at" }] }]);
    expect(await all()).toEqual(stored);
  });
});
