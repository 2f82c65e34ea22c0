import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import { type Guarded, makeWorld, type Who, type World } from "./guarded.js";
import { seedWorld } from "./two-databases.js";

let database: World;
let byRole: Guarded;
let byAll: Guarded;

const all = (names: string): readonly string[] => names.split(" ");
const publicFields = all("id title isbn pages publisher publisherId cover tags");

beforeAll(async () => {
  database = await makeWorld(inject("postgresUrl"));
  byRole = await database.serve({
    models: {
      Book: { auth: { fields: { "*": publicFields, editor: all("subtitle price"), empty: [] } } },
      Publisher: { auth: { fields: { editor: all("id name city books") } } },
      Writer: { auth: { fields: { "*": ["name"] } } },
    },
  });
  byAll = await database.serve({
    models: {
      Book: {
        hidden: all("subtitle price score publishedAt size seriesOf sequel prequels authorships createdAt updatedAt"),
      },
      Publisher: { hidden: all("id name city books") },
      Writer: { hidden: all("id authorships") },
    },
  });
});
afterAll(() => database.close());

beforeEach(async () => {
  await database.sql(emptyTables("Publisher", "Book", "Cover", "Tag", "Writer", "Authorship", "Payment", "_BookToTag"));
  await seedWorld(database, { secret: "s", score: "1", subtitle: "'sub'", writer: "", share: "60", outside: [] });
});

const read = async (path: string, who?: Who, service = byRole) => {
  const { status, text } = await service.call("GET", path, undefined, who);
  return status === 200 ? JSON.parse(text).data : status;
};

describe("C30 fields by role", () => {
  it("are combined for the roles of a caller; a superuser sees all that are not hidden from everyone", async () => {
    const names = async (who: Who) => Object.keys(await read("/books/1", who));
    expect(await names(undefined)).toEqual(all("id title isbn pages publisherId"));
    expect(await names(["empty", "unknown", "constructor"])).toEqual(all("id title isbn pages publisherId"));
    expect(await names(["editor"])).toEqual(all("id title subtitle isbn pages price publisherId"));
    expect(await names("root")).toHaveLength(13);
  });

  it("outside the list behave like hidden ones: in every parameter, with the same messages", async () => {
    const parameters = all(
      "subtitle=sub subtitle__contains=s not[subtitle]=s or[0][price]=1&or[1][id]=1 sort=subtitle sort=-price,id fields=price fields=-price include=sequel sort=sequel.title sequel__title=One authorships__share=1 publisher__name=Alpha publisher__secret=s publisher__books__title=One sort=publisher.city include=publisher.books search=sub cursor=&sort=price seriesOf__isNull=true price[gt]=1",
    );
    for (const parameter of parameters) {
      const [role, hidden] = await Promise.all([byRole, byAll].map((one) => one.call("GET", `/books?${parameter}`)));
      expect([parameter, role]).toEqual([parameter, hidden]);
      expect([parameter, role?.status]).toEqual([parameter, parameter === "search=sub" ? 200 : 400]);
    }
    expect(await read("/books?search=sub")).toEqual([]);
    expect(await read("/books?search=sub&fields=id", ["editor"])).toEqual([{ id: 1 }, { id: 3 }]);
    expect(await read("/books?subtitle=sub&sort=-price&fields=id,price", ["editor"])).toEqual([
      { id: 3, price: "12.50" },
      { id: 1, price: "10.00" },
    ]);
  });

  it("are not suggested for a misspelled key if the caller may not see them, like hidden ones", async () => {
    const bodies: readonly (readonly [string, string, unknown])[] = [
      ["POST", "/books", { title: "x", pric: 1 }],
      ["POST", "/books", { title: "x", subtitel: "y", scor: 1, sequl: { id: 1 } }],
      ["POST", "/books/many", [{ title: "x", subttle: "y" }]],
      ["PATCH", "/books/1", { pries: 1, titl: "z" }],
      ["PATCH", "/books/many", [{ id: 1, sze: "LARGE" }]],
    ];
    for (const [method, path, body] of bodies) {
      const [role, hidden] = await Promise.all([byRole, byAll].map((one) => one.call(method, path, body)));
      expect([method, path, role]).toEqual([method, path, hidden]);
      expect(role?.text).not.toMatch(/did you mean (price|subtitle|score|sequel|size)/i);
    }
    expect((await byRole.call("POST", "/books", { title: "x", pric: 1 }, ["editor"])).text).toContain(
      "Did you mean price?",
    );
  });

  it("C4 rejects rounded numbers in every view, without naming a field outside it", async () => {
    const bodies: readonly (readonly [string, string, string, readonly string[]])[] = [
      ["PATCH", "/books/1", '{"pages":9007199254740993}', ["/pages"]],
      ["PATCH", "/books/1", '{"publisher":{"id":1,"nope":9007199254740993}}', ["/publisher/nope"]],
      ["PATCH", "/books/1", '{"pages":9007199254740993,"price":1.0000000000000000001}', ["/pages", "/price"]],
      ["PATCH", "/books/1", '{"price":1.0000000000000000001}', ["/price"]],
      ["PATCH", "/books/1", '{"nope":1.0000000000000000001}', ["/nope"]],
      ["POST", "/books/many", '[{"title":"x"},{"title":"y","pages":9007199254740993}]', ["/1/pages"]],
    ];
    for (const [method, path, text, places] of bodies) {
      const { status, text: reported } = await byRole.call(method, path, Buffer.from(text));
      expect([text, status]).toEqual([text, 400]);
      const { errors } = JSON.parse(reported) as { errors: { path: string; message: string }[] };
      expect([text, errors.map(({ path: at }) => at)]).toEqual([text, places]);
      for (const { message } of errors) expect(message).toContain("more digits than a JSON number preserves");
    }
  });

  it("apply in an include at every depth", async () => {
    expect(await read("/books/1?fields=id&include=publisher", ["editor"])).toEqual({
      id: 1,
      publisher: { id: 1, name: "Alpha", city: "Bern" },
    });
    expect((await read("/covers?include=book.publisher&limit=1", undefined))[0].book).toEqual({
      id: 1,
      title: "One",
      isbn: "i1",
      pages: 100,
      publisherId: 1,
      publisher: {},
    });
    expect(await read("/publishers", ["nobody"])).toEqual([{}, {}, {}]);
  });

  it("outside the list are rejected in bodies like unknown keys", async () => {
    for (const [path, body] of [
      ["/books/1", { price: 1 }],
      ["/books/1", { sequel: { id: 2 }, subtitle: "x" }],
      [
        "/books/many",
        [
          { id: 1, title: "ok" },
          { id: 2, price: 2 },
        ],
      ],
      ["/books/many?id=1", { subtitle: null }],
      ["/covers/6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11", { color: "x", book: { price: 1, id: 1 } }],
    ] as const) {
      const { status, text } = await byRole.call("PATCH", path, body);
      expect([path, status, JSON.parse(text).code]).toEqual([path, 400, "ValidationError"]);
    }
    const [role, hidden] = await Promise.all([byRole, byAll].map((one) => one.call("PATCH", "/books/1", { price: 1 })));
    expect(role).toEqual(hidden);
    const editor = await byRole.call("PATCH", "/books/1", { price: 1 }, ["editor"]);
    expect([editor.status, JSON.parse(editor.text).data.price]).toEqual([200, "1.00"]);
    expect(await database.sql(`SELECT count(*)::int AS n FROM "Book" WHERE price = 1`)).toEqual([{ n: 1 }]);
  });

  it("appear in no error of the database", async () => {
    await database.sql(`CREATE UNIQUE INDEX IF NOT EXISTS "Book_isbn_key" ON "Book" (isbn)`);
    const service = await database.serve({
      models: { Book: { auth: { fields: { "*": all("id title"), editor: ["isbn"] } } }, Cover: { hidden: ["bookId"] } },
    });
    const editor = await service.call("PATCH", "/books/1", { isbn: "i2" }, ["editor"]);
    expect([editor.status, JSON.parse(editor.text).errors[0].path]).toEqual([409, "/isbn"]);
    await database.sql(
      `CREATE OR REPLACE FUNCTION take_isbn() RETURNS trigger AS 'BEGIN NEW.isbn := ''i2''; RETURN NEW; END' LANGUAGE plpgsql`,
    );
    await database.sql(`CREATE TRIGGER take_isbn BEFORE UPDATE ON "Book" FOR EACH ROW EXECUTE FUNCTION take_isbn()`);
    const { status, text } = await service.call("PATCH", "/books/1", { title: "x" });
    const many = [
      await service.call("PATCH", "/books/many", [{ id: 1, title: "x" }]),
      await service.call("PATCH", "/books/many?id=1", { title: "x" }),
    ];
    await database.sql(`DROP TRIGGER take_isbn ON "Book"`);
    for (const response of many) expect([response.status, response.text.includes("isbn")]).toEqual([409, false]);
    expect([status, JSON.parse(text).code]).toEqual([409, "UniqueConstraint"]);
    expect(text).not.toContain("isbn");
  });

  it("without the id identify no row: rows can only be listed, sorted by visible fields", async () => {
    const { text, link } = await byRole.call("GET", "/writers");
    expect(JSON.parse(text).data).toEqual([{ name: "Ann" }, { name: "Bob" }, { name: "Cid" }]);
    expect(link).toContain("/api/writers?page=1");
    expect((await byRole.call("GET", "/writers/1")).text).toEqual(
      (await byRole.call("GET", "/writers/77")).text.replace("77", "1"),
    );
    for (const [method, path, body] of [
      ["PATCH", "/writers/1", { name: "x" }],
      ["DELETE", "/writers/1"],
      ["POST", "/writers", { name: "x" }],
      ["PATCH", "/writers/many", [{ id: 1, name: "x" }]],
      ["PATCH", "/writers/many?name=Ann", { name: "x" }],
      ["DELETE", "/writers/many", { ids: [1] }],
    ] as const) {
      const response = await byRole.call(method, path, body);
      expect([method, path, response.status]).toEqual([method, path, 403]);
    }
    expect((await byRole.call("GET", "/writers?cursor=")).status).toBe(400);
    expect((await byRole.call("GET", "/writers/1", undefined, "root")).status).toBe(200);
  });

  it("C16 never change an ETag that the caller sees if they are hidden", async () => {
    const etags = async (who?: Who) =>
      Promise.all(
        ["/books/1", "/books", "/books/1?include=publisher"].map(
          async (path) => (await byRole.call("GET", path, undefined, who)).etag,
        ),
      );
    const [before, editorBefore] = [await etags(), await etags(["editor"])];
    await database.sql(`UPDATE "Book" SET price = 77, subtitle = 'z', "updatedAt" = now() WHERE id = 1`);
    await database.sql(`UPDATE "Publisher" SET city = 'Oslo' WHERE id = 1`);
    expect(await etags()).toEqual(before);
    expect(await etags(["editor"])).not.toEqual(editorBefore);
    const [tag] = before;
    const stored = await byRole.call("PATCH", "/books/1", { pages: 101 }, undefined, { "if-match": tag ?? "" });
    expect(stored.status).toBe(200);
    expect((await byRole.call("PATCH", "/books/1", { pages: 102 }, undefined, { "if-match": tag ?? "" })).status).toBe(
      412,
    );
  });
});

describe("C57 a conflict contains no model and no field that the caller may not see", () => {
  const closed = Object.fromEntries(
    all("findMany findOne createOne createMany updateOne updateMany deleteOne deleteMany").map((name) => [name, false]),
  );
  const settings = {
    Book: {
      writable: ["cover"],
      auth: { fields: { "*": all("id title cover authorships sequel prequels tags publisher"), editor: ["isbn"] } },
    },
    Cover: { auth: { fields: { "*": all("id color book"), editor: ["bookId"] } } },
    Tag: { operations: closed },
  };
  const reported = (response: { readonly status: number; readonly text: string }) => {
    const { detail, errors } = JSON.parse(response.text);
    return [response.status, detail, errors[0].path, errors[0].message];
  };
  const unnamed = "Another record has the same values.";
  const taken = (words: string) => `Another ${words}.`;

  it.each([
    ["a list that the row may stand in", `INSERT INTO "Book" (title, isbn, "updatedAt") VALUES ('x', 'i2', now())`],
    ["a model that is closed to everyone", `INSERT INTO "Tag" (name) VALUES ('a')`],
    ["a key of a relation", `INSERT INTO "Cover" (id, color, "bookId") VALUES (gen_random_uuid(), 'x', 2)`],
  ])("if the place is ambiguous: %s", async (_what, insert) => {
    const service = await database.serve({ models: settings });
    const table = insert.startsWith(`INSERT INTO "Book"`) ? "Publisher" : "Book";
    await database.sql(
      `CREATE OR REPLACE FUNCTION also() RETURNS trigger AS $$ BEGIN ${insert}; RETURN NEW; END $$ LANGUAGE plpgsql`,
    );
    await database.sql(`CREATE TRIGGER also BEFORE UPDATE ON "${table}" FOR EACH ROW EXECUTE FUNCTION also()`);
    const change = () =>
      table === "Book"
        ? service.call("PATCH", "/books/1", { title: "y" })
        : service.call("PATCH", "/publishers/1", { city: "y" });
    const response = await change();
    await database.sql(`DROP TRIGGER also ON "${table}"`);
    expect(reported(response)).toEqual([409, unnamed, "", unnamed]);
  });

  it("if the place of a nested row determines its key", async () => {
    const service = await database.serve({ models: settings });
    const call = (who?: Who) => service.call("PATCH", "/books/3", { cover: { color: "x" } }, who);
    await database.sql(
      `CREATE OR REPLACE FUNCTION first() RETURNS trigger AS $$ BEGIN NEW."bookId" := 1; RETURN NEW; END $$ LANGUAGE plpgsql`,
    );
    await database.sql(`CREATE TRIGGER first BEFORE INSERT ON "Cover" FOR EACH ROW EXECUTE FUNCTION first()`);
    const [anyone, editor] = [await call(), await call(["editor"])];
    await database.sql(`DROP TRIGGER first ON "Cover"`);
    expect(reported(anyone)).toEqual([409, unnamed, "/cover", unnamed]);
    const words = taken("cover has the same bookId");
    expect(reported(editor)).toEqual([409, words, "/cover", words]);
  });

  it("if a hook writes to another model", async () => {
    const acts: Readonly<Record<string, () => Promise<unknown>>> = {
      cover: () => database.database.of("Cover").create({ data: { color: "x", bookId: 1 } }),
      tag: () => database.database.of("Tag").create({ data: { name: "a" } }),
      publisher: () => database.database.of("Publisher").create({ data: { name: "Alpha" } }),
      missing: () => database.database.of("Cover").create({ data: { color: "x", bookId: 4711 } }),
    };
    const hook = async (request: { readonly body: { readonly title: string } }) =>
      void (await acts[request.body.title]?.());
    const hooks = { beforeUpdateOne: hook as never };
    const service = await database.serve({ models: { ...settings, Book: { ...settings.Book, hooks } } });
    const call = (title: string, who?: Who) => service.call("PATCH", "/books/1", { title }, who);
    for (const title of ["cover", "tag"]) expect(reported(await call(title))).toEqual([409, unnamed, "", unnamed]);
    const [, detail] = reported(await call("cover", ["editor"]));
    expect(detail).toBe(taken("cover has the same bookId"));
    expect(reported(await call("publisher"))[1]).toBe(taken("publisher has the same name"));
    const missing = await call("missing");
    expect([missing.status, missing.text.includes("bookId")]).toEqual([400, false]);
  });

  it("but a duplicate value that the caller wrote is 409 at its field", async () => {
    const service = await database.serve({ models: settings });
    await database.sql(`CREATE UNIQUE INDEX IF NOT EXISTS "Book_isbn_key" ON "Book" (isbn)`);
    const words = taken("book has the same isbn");
    expect(reported(await service.call("PATCH", "/books/1", { isbn: "i2" }, ["editor"]))).toEqual([
      409,
      words,
      "/isbn",
      words,
    ]);
  });
});
