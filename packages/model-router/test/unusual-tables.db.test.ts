import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { engines, openUnusual, type UnusualWorld } from "./unusual-world.js";

const statements = [
  // A trigger that turns a delete into a mark, and skips rows marked for it.
  `CREATE FUNCTION mark() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     UPDATE "Kept" SET "isDeleted" = true WHERE id = OLD.id; RETURN NULL; END $$`,
  `CREATE TRIGGER mark BEFORE DELETE ON "Kept" FOR EACH ROW EXECUTE FUNCTION mark()`,
  `CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     IF NEW.text = 'skip' THEN RETURN NULL; END IF;
     IF NEW.text LIKE 'raise %' THEN
       RAISE EXCEPTION 'The text is rejected.' USING ERRCODE = substr(NEW.text, 7);
     END IF;
     RETURN NEW; END $$`,
  `CREATE TRIGGER skip BEFORE INSERT OR UPDATE ON "Kept" FOR EACH ROW EXECUTE FUNCTION skip()`,
  // Rules do the same without a trigger.
  `CREATE RULE mark AS ON DELETE TO "Guarded" DO INSTEAD UPDATE "Guarded" SET text = 'deleted' WHERE id = OLD.id`,
  `ALTER TABLE "Computed" DROP COLUMN area`,
  `ALTER TABLE "Computed" ADD COLUMN area int GENERATED ALWAYS AS (width * width) STORED`,
  `CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
  `ALTER TABLE "Code" ALTER code TYPE text COLLATE any_case, ALTER name TYPE text COLLATE any_case,
     ALTER title TYPE text COLLATE any_case`,
];

let database: UnusualWorld;
beforeAll(async () => {
  database = await openUnusual(inject("postgresUrl"), statements);
});
afterAll(() => database?.close());

describe.each(engines)("C93 with the engine %s", (engine) => {
  const call = (method: string, target: string, body?: unknown) => database.served[engine].call(method, target, body);
  const make = async (text = "a"): Promise<number> =>
    (await database.sql<{ id: number }>(`INSERT INTO "Kept" (text) VALUES ('${text}') RETURNING id`))[0]?.id ?? 0;
  const stored = async (id: number) => (await database.sql(`SELECT * FROM "Kept" WHERE id = ${id}`))[0];

  it("treats a delete that a trigger turns into an update like any other", async () => {
    const [one, two, three] = [await make(), await make(), await make()];
    expect((await call("DELETE", `/kepts/${one}`)).status).toBe(204);
    expect(await stored(one)).toMatchObject({ isDeleted: true });
    const many = await call("DELETE", "/kepts/many", { ids: [two] });
    expect([many.status, many.body]).toEqual([200, { meta: { count: 1 } }]);
    const filtered = await call("DELETE", `/kepts/many?id=${three}`);
    expect([filtered.status, filtered.body]).toEqual([200, { meta: { count: 1 } }]);
    expect(await stored(three)).toMatchObject({ isDeleted: true });
    expect((await call("DELETE", "/kepts/999999")).status).toBe(404);
    expect((await call("DELETE", "/kepts/many", { ids: [one, 999_999] })).status).toBe(404);
  });

  it("returns the unchanged row for an update that a trigger skips", async () => {
    const id = await make("before");
    const { status, body } = await call("PATCH", `/kepts/${id}`, { text: "skip" });
    expect([status, body.data]).toEqual([200, { id, text: "before", isDeleted: false }]);
    const many = await call("PATCH", "/kepts/many", [{ id, text: "skip" }]);
    expect([many.status, many.body.data]).toEqual([200, [{ id, text: "before", isDeleted: false }]]);
    const filtered = await call("PATCH", `/kepts/many?id=${id}`, { text: "skip" });
    expect([filtered.status, filtered.body.meta]).toEqual([200, { count: 1 }]);
    expect((await call("PATCH", "/kepts/999999", { text: "a" })).status).toBe(404);
  });

  it("rejects a create that a trigger skips, and stores nothing", async () => {
    const count = async () => (await database.sql<{ n: number }>('SELECT count(*)::int AS n FROM "Kept"'))[0]?.n;
    const before = await count();
    const one = await call("POST", "/kepts", { text: "skip" });
    expect([one.status, one.body.code]).toEqual([400, "RejectedByDatabase"]);
    const many = await call("POST", "/kepts/many", [{ text: "a" }, { text: "skip" }]);
    expect([many.status, many.body.code]).toEqual([400, "RejectedByDatabase"]);
    expect(await count()).toBe(before);
    expect((await call("POST", "/kepts", { text: "b" })).status).toBe(201);
  });

  it.each(["P0001", "P0002", "45000", "LIM01", "2F000", "23000", "22012", "55000", "0A000"])(
    "returns 4xx if a trigger raises %s, without its message",
    async (code) => {
      const { status, body } = await call("POST", "/kepts", { text: `raise ${code}` });
      expect(status, JSON.stringify(body)).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(JSON.stringify(body)).not.toContain("rejected.");
    },
  );

  it("treats a delete that a rule turns into an update like any other", async () => {
    const add = `INSERT INTO "Guarded" (text) VALUES ('a') RETURNING id`;
    const [[one], [two]] = [await database.sql<{ id: number }>(add), await database.sql<{ id: number }>(add)];
    expect((await call("DELETE", `/guardeds/${one?.id}`)).status).toBe(204);
    expect((await call("DELETE", "/guardeds/many", { ids: [two?.id] })).body).toEqual({ meta: { count: 1 } });
    const stored = await database.sql(`SELECT text FROM "Guarded" WHERE id IN (${one?.id}, ${two?.id})`);
    expect(stored).toEqual([{ text: "deleted" }, { text: "deleted" }]);
    expect((await call("DELETE", "/guardeds/999999")).status).toBe(404);
  });

  it("names a generated column that a body sets", async () => {
    const made = await call("POST", "/computeds", { width: 3 });
    expect([made.status, made.body.data.area]).toEqual([201, 9]);
    const rejected = await call("POST", "/computeds", { width: 3, area: 5 });
    expect([rejected.status, rejected.body.errors[0].path]).toEqual([400, "/area"]);
    const changed = await call("PATCH", `/computeds/${made.body.data.id}`, { area: 5 });
    expect([changed.status, changed.body.errors[0].path]).toEqual([400, "/area"]);
  });

  it("preserves keys of microseconds: created, found, paginated, updated and deleted", async () => {
    const sensor = engine === "sql" ? 11 : 12;
    const times = [1, 2, 3].map((micros) => `2024-02-29T12:30:00.12345${micros}Z`);
    for (const at of times) {
      const made = await call("POST", "/readings", { sensor, at, value: 1 });
      expect([made.status, made.body?.data?.at], JSON.stringify(made.body)).toEqual([201, at]);
      const location = made.headers.get("location")?.replace("/api", "") ?? "";
      const read = await call("GET", location);
      expect([read.status, read.body?.data?.at], location).toEqual([200, at]);
      const tag = read.headers.get("etag");
      expect(tag).toBe(made.headers.get("etag"));
    }
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = await call("GET", `/readings?sensor=${sensor}&sort=at&limit=1&cursor=${cursor}`);
      expect(page.status).toBe(200);
      found.push(...page.body.data.map((row: { at: string }) => row.at));
      cursor = page.body.meta.nextCursor;
      expect(found.length).toBeLessThan(5);
    }
    expect(found).toEqual(times);
    expect((await call("GET", `/readings?sensor=${sensor}&at=${times[1]}`)).body.data.length).toBe(1);
    expect((await call("GET", `/readings?sensor=${sensor}&at__gt=${times[1]}`)).body.data.length).toBe(1);
    const detail = await call("POST", "/details", { sensor, readingAt: times[0] });
    expect([detail.status, detail.body.data.readingAt]).toEqual([201, times[0]]);
    const included = await call("GET", `/readings/${sensor},${times[0]}?include=details`);
    expect(included.body.data.details.map((row: { readingAt: string }) => row.readingAt)).toEqual([times[0]]);
    expect((await call("PATCH", `/readings/${sensor},${times[1]}`, { value: 2 })).body.data).toMatchObject({
      value: 2,
    });
    const id = `${sensor},${times[2]}`;
    expect((await call("PATCH", "/readings/many", [{ id, value: 3 }])).body.data).toMatchObject([{ value: 3 }]);
    const filter = `sensor=${sensor}&at=${times[2]}`;
    expect((await call("PATCH", `/readings/many?${filter}`, { value: 4 })).body.data).toMatchObject([{ value: 4 }]);
    expect((await call("DELETE", `/readings/${sensor},${times[1]}`)).status).toBe(204);
    expect((await call("DELETE", "/readings/many", { ids: [id] })).body).toEqual({ meta: { count: 1 } });
    expect(await database.sql(`SELECT value FROM "Reading" WHERE sensor = ${sensor}`)).toEqual([{ value: 1 }]);
  });

  it("filters and searches columns with a case-insensitive collation", async () => {
    await database.sql(`INSERT INTO "Code" VALUES ('AbC', 'Ein Name', 'One') ON CONFLICT DO NOTHING`);
    for (const condition of [
      "code=abc",
      "code__in=abc,x",
      "name__icontains=NAME",
      "name__contains=Name",
      "name__startsWith=Ein",
      "name__istartsWith=ein",
      "name__iequals=ein name",
      "search=name",
    ]) {
      const { status, body } = await call("GET", `/codes?${encodeURI(condition)}`);
      expect([status, body.data?.length], `${condition} ${JSON.stringify(body)}`).toEqual([200, 1]);
    }
    const changed = await call("PATCH", "/codes/many?name__icontains=NAME", { title: "Two" });
    expect([changed.status, changed.body.meta], JSON.stringify(changed.body)).toEqual([200, { count: 1 }]);
  });

  it("finds the rows of a bulk change by ids that the collation treats as equal", async () => {
    await database.sql(`INSERT INTO "Code" VALUES ('Bulk', 'b') ON CONFLICT DO NOTHING`);
    const changed = await call("PATCH", "/codes/many", [{ id: "bULK", name: "c" }]);
    expect([changed.status, changed.body.data], JSON.stringify(changed.body)).toEqual([
      200,
      [{ code: "Bulk", name: "c", title: null }],
    ]);
    const deleted = await call("DELETE", "/codes/many", { ids: ["BULK"] });
    expect([deleted.status, deleted.body]).toEqual([200, { meta: { count: 1 } }]);
    expect((await call("DELETE", "/codes/many", { ids: ["bulk"] })).status).toBe(404);
    await database.sql(`INSERT INTO "Code" VALUES ('Twice', 'b') ON CONFLICT DO NOTHING`);
    expect((await call("DELETE", "/codes/many", { ids: ["twice", "TWICE"] })).status).toBe(400);
  });
});
