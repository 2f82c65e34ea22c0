import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { isDryRun, type ModelConfig } from "../src/index.js";
import { type Blog, startBlog, withPost } from "./blog.js";

let blog: Blog;
let hookRuns: string[] = [];

beforeAll(async () => {
  blog = await startBlog(inject("postgresUrl"), {
    bulkItems: 50,
    models: {
      Post: {
        import: true,
        readonly: ["createdAt"],
        hooks: {
          beforeCreateMany: (request, _response, next) => {
            hookRuns.push(`before ${isDryRun(request)}`);
            next();
          },
          afterCreateMany: (_request, _response, next) => {
            hookRuns.push("after");
            next();
          },
        },
      },
      Author: { import: true, export: true, upsert: true },
      Oddity: { import: true, export: true },
    },
  });
});
beforeEach(async () => {
  hookRuns = [];
  await blog.client.post.deleteMany();
  await blog.client.author.deleteMany();
  await blog.client.oddity.deleteMany();
});
afterAll(async () => {
  expect(blog?.logged).toEqual([]);
  await blog?.close();
});

const send = async (target: string, body: string | Buffer, type = "text/csv", url = blog.url) => {
  const response = await fetch(`${url}${target}`, {
    method: "POST",
    headers: { "content-type": type },
    body: body as never,
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
};
const importPosts = (body: string | Buffer, query = "", type = "text/csv") => send(`/posts/many${query}`, body, type);
const errorsOf = ({ status, body }: Awaited<ReturnType<typeof send>>) => ({
  status,
  errors: body.errors?.map(({ path, code }: Record<string, string>) => `${path}: ${code}`),
});
const stored = () => blog.client.post.findMany({ orderBy: { id: "asc" }, omit: { id: true, createdAt: true } });

describe("C104 an import of CSV", () => {
  it("creates rows with the values of each type, null for empty cells, and defaults", async () => {
    const { status, body } = await importPosts(
      "\ufefftitle,views,price,big,rating,status,isPinned,data,tags\r\n" +
        '"a ""quoted"", two-\r\nline title",3,12.50,-9007199254740993,1.5,PUBLISHED,true,"{""a"":[1]}","[""x"",""y""]"\r\n' +
        "\r\n" +
        "=1+1,,,,,,,,\r\n" +
        '"",,,,,,,,\r\n',
    );
    expect([status, body.meta]).toEqual([201, { count: 3 }]);
    const rows = await stored();
    expect(rows.map(({ price, ...row }) => ({ ...row, price: String(price) }))).toMatchObject([
      {
        title: 'a "quoted", two-\r\nline title',
        views: 3,
        price: "12.5",
        big: -9007199254740993n,
        rating: 1.5,
        status: "PUBLISHED",
        isPinned: true,
        data: { a: [1] },
        tags: ["x", "y"],
      },
      { title: "=1+1", views: 0, big: null, rating: null, status: "DRAFT", isPinned: false, data: null, tags: [] },
      { title: "" },
    ]);
    expect(hookRuns).toEqual(["before false", "after"]);
  });

  it("names the line and the column of every error", async () => {
    const response = await importPosts(
      'title,views,data,status\n"two\nlines",x,1,DRAFT\nb,1.5,1,WRONG\n\n,2,,\n"d",99999999999,1,DRAFT\n',
    );
    expect(errorsOf(response)).toEqual({
      status: 400,
      errors: [
        "line 2, views: InvalidType",
        "line 4, views: InvalidType",
        "line 4, status: InvalidValue",
        "line 6, title: RequiredValue",
        "line 7, views: InvalidType",
      ],
    });
    expect(errorsOf(await importPosts("title,data\na,{\nb,{}\nc,nope\n"))).toEqual({
      status: 400,
      errors: ["line 2, data: MalformedJson", "line 4, data: MalformedJson"],
    });
    expect(await stored()).toEqual([]);
  });

  it("C59 accepts at most as many values in the JSON of all cells as in a JSON body", async () => {
    const list = (count: number): string => `"${JSON.stringify(Array(count).fill(0))}"`;
    const texts = (count: number): string => `"${JSON.stringify(Array(count).fill("")).replaceAll('"', '""')}"`;
    for (const file of [
      `title,data\na,${list(10_001)}\n`,
      `title,data\na,${list(5_001)}\nb,${list(5_000)}\n`,
      `title,data,tags\na,${list(5_001)},${texts(5_000)}\n`,
    ])
      expect(await importPosts(file)).toMatchObject({ status: 413, body: { code: "PayloadTooLarge" } });
    expect(await stored()).toEqual([]);
    expect(await importPosts(`title,data\na,${list(5_000)}\nb,${list(5_000)}\n`)).toMatchObject({ status: 201 });
  });

  it("names unknown and read-only columns at the first line", async () => {
    const response = await importPosts("title,titel,createdAt,__x\na,b,2026-01-01,1\nc,d,2026-01-01,1\n");
    expect(errorsOf(response)).toEqual({
      status: 400,
      errors: ["line 1, titel: UnknownField", "line 1, createdAt: UnknownField", "line 1, __x: UnknownField"],
    });
  });

  it("rejects what is not a table with a header", async () => {
    const rejected = async (body: string | Buffer) => errorsOf(await importPosts(body));
    expect(await rejected("title,title\na,b\n")).toEqual({ status: 400, errors: ["line 1, title: MalformedCsv"] });
    expect(await rejected("title,\na,b\n")).toEqual({ status: 400, errors: ["line 1: MalformedCsv"] });
    expect(await rejected("title,__proto__\na,b\n")).toEqual({
      status: 400,
      errors: ["line 1, __proto__: MalformedCsv"],
    });
    expect(await rejected("title,views\na,1\nb,2,3\nc\nd,4\n")).toEqual({
      status: 400,
      errors: ["line 3: MalformedCsv", "line 4: MalformedCsv"],
    });
    expect(await rejected('title,views\na,1\n\n"b,2\nc,3\n')).toEqual({
      status: 400,
      errors: ["line 4: MalformedCsv"],
    });
    expect(await rejected('title,views\na,1\nb"x",2\n')).toEqual({ status: 400, errors: ["line 3: MalformedCsv"] });
    expect(await rejected('title,views\n"a"b,1\n')).toEqual({ status: 400, errors: ["line 2: MalformedCsv"] });
    expect(await rejected(Buffer.from([0x74, 0x0a, 0xff, 0x0a]))).toEqual({ status: 400, errors: [": BadRequest"] });
    expect((await importPosts("")).status).toBe(400);
    expect((await importPosts("title\na\n", "", "text/csv; charset=latin1")).status).toBe(415);
    const wide = Array.from({ length: 10_000 }, (_, index) => `c${index}`).join();
    expect((await importPosts(`${wide}\n${",".repeat(9_999)}\n`)).status).toBe(400);
    expect((await importPosts(`title\n${"x".repeat(2_000_000)}\n`)).status).toBe(413);
    expect((await importPosts(`title\n${"x\n".repeat(51)}`)).status).toBe(413);
    expect(await stored()).toEqual([]);
  });

  it.each(["title\n", "title\n\n\r\r\n", "\n \ntitle,views\n\n \n"])(
    "rejects a file without rows: %j",
    async (file) => {
      const { status, body } = await importPosts(file);
      const errors = [{ in: "body", path: "", code: "InvalidValue", message: "The file has no rows." }];
      expect([status, body.errors]).toEqual([400, errors]);
      const lines = await importPosts("\n\n", "", "application/x-ndjson");
      expect([lines.status, lines.body.errors]).toEqual([400, errors]);
    },
  );

  it.each([
    ["header", `${"c,".repeat(400_000)}c\n1\n`, 1],
    ["record", `title,"a\nb"\na,b\n${",".repeat(400_000)}\n`, 4],
    ["quoted record", `title\r\n${'"",'.repeat(100)}""\r\n`, 2],
  ])("rejects more cells of a %s than a model can have, before it parses them", async (_place, file, line) => {
    const { body } = await importPosts(file);
    const message = `Line ${line}: The record has more than 100 cells, the maximum.`;
    expect(body.errors).toEqual([{ in: "body", path: `line ${line}`, code: "MalformedCsv", message }]);
  });

  it("creates a row for each record whose values are all empty or blank", async () => {
    const countOf = async (file: string) => {
      const { status, body } = await send("/oddities/many", file);
      return [status, body.meta?.count];
    };
    expect(await countOf('sort,or,limit\n,,\n" ", ,\n"","",\r\r\n')).toEqual([201, 3]);
    expect(await countOf('sort\n\nx\n""\n \n\n')).toEqual([201, 5]);
    const rows = await blog.client.oddity.findMany({ orderBy: { id: "asc" }, select: { sort: true, or: true } });
    expect(rows).toEqual([
      { sort: null, or: null },
      { sort: " ", or: " " },
      { sort: "", or: "" },
      ...[null, "x", "", " ", null].map((sort) => ({ sort, or: null })),
    ]);
    expect(errorsOf(await importPosts("title,views\na,1\n,\n"))).toEqual({
      status: 400,
      errors: ["line 3, title: RequiredValue"],
    });
    // No row is null in a required field, so an empty line is only an empty line.
    expect((await importPosts("title\n\na\n\n")).body.meta).toEqual({ count: 1 });
  });

  it("limits the number of blank lines, as that of rows", async () => {
    const doubled = `title,views\n${"a,1\r\r\n".repeat(50)}`;
    expect((await importPosts(doubled)).status).toBe(201);
    for (const line of [" \n", "\n", "\r", "\t\r\n", "\u3000\n"]) {
      const { status, body } = await importPosts(`title,views\n${line.repeat(51)}a,1\n`);
      expect([status, body.detail]).toEqual([413, "The file has more than 50 blank lines, the maximum."]);
      expect((await importPosts(`${line.repeat(50)}title,views\na,1\n`)).status).toBe(201);
    }
    const lines = await importPosts(`{"title":"a"}\n${" \n".repeat(51)}`, "", "application/x-ndjson");
    expect([lines.status, lines.body.detail]).toEqual([413, "The file has more than 50 blank lines, the maximum."]);
  });

  it("accepts the notation of spreadsheets for booleans", async () => {
    const texts = ["TRUE", "True", "true", "FALSE", "False", "false"];
    expect((await importPosts(`title,isPinned\n${texts.map((text) => `${text},${text}\n`).join("")}`)).status).toBe(
      201,
    );
    const rows = await stored();
    expect(rows.map(({ title, isPinned }) => [title, isPinned])).toEqual(
      texts.map((text) => [text, text.toLowerCase() === "true"]),
    );
    expect(errorsOf(await importPosts("title,isPinned\na,yes\nb,TRUE \n"))).toEqual({
      status: 400,
      errors: ["line 2, isPinned: InvalidType", "line 3, isPinned: InvalidType"],
    });
  });

  it.each([
    ["title;views\na;1\n", 1, "A name in the header contains a semicolon (;)."],
    ["\ufeff\ntitle\tviews\r\na\t1\r\n", 2, "A name in the header contains a tab."],
    ['"title";"views"\n"a";1\n', 1, "A quoted cell is followed by a semicolon (;)."],
    ["title|views\n", 1, "A name in the header contains a bar (|)."],
    ["title;first, last\na;b\n", 1, "A name in the header contains a semicolon (;)."],
    ["sep=;\ntitle;views\na;1\n", 1, "This line declares a semicolon (;) as the separator. Delete it."],
    ["\ufeffsep=,\r\ntitle,views\r\na,1\r\n", 1, "This line declares a comma as the separator. Delete it."],
    ['"SEP=\t"\ntitle\tviews\n', 1, "This line declares a tab as the separator. Delete it."],
  ])("rejects other separators than commas, with the way to fix them: %j", async (file, line, message) => {
    const { status, body } = await importPosts(file);
    expect([status, body.errors]).toEqual([
      400,
      [{ in: "body", path: `line ${line}`, code: "MalformedCsv", message: expect.stringContaining(message) }],
    ]);
    expect(body.detail).toContain("Separate the cells with commas:");
  });

  it("names unknown columns at the line of the header", async () => {
    expect(errorsOf(await importPosts("\n\ntitle,titel\na,b\n"))).toEqual({
      status: 400,
      errors: ["line 3, titel: UnknownField"],
    });
  });

  it("reads cells with many commas in quotes", async () => {
    expect((await importPosts(`title\n"${",".repeat(200)}"\n`)).status).toBe(201);
  });

  it("names the lines whose values another row has", async () => {
    await blog.client.author.create({ data: { email: "b" } });
    expect(errorsOf(await send("/authors/many", "email\na\nb\nc\na\n"))).toEqual({
      status: 409,
      errors: ["line 3, email: UniqueConstraint", "line 5, email: UniqueConstraint"],
    });
  });

  it("creates and updates with onConflict", async () => {
    await blog.client.author.create({ data: { email: "b", name: "old" } });
    const { status, body } = await send("/authors/many?onConflict=email", "email,name\na,new\nb,changed\n");
    expect([status, body.meta]).toEqual([201, { count: 2, statuses: [201, 200] }]);
  });

  it("is 415 without the option, and in other formats", async () => {
    await withPost(blog, {}, async ({ url }) => {
      expect((await send("/posts/many", "title\na\n", "text/csv", url)).status).toBe(415);
      expect((await send("/posts/many?dryRun=true", '[{"title":"a"}]', "application/json", url)).status).toBe(400);
    });
    expect((await importPosts("title\na\n", "", "text/plain")).status).toBe(415);
    expect((await send("/posts", "title\na\n")).status).toBe(415);
  });
});

describe("C104 an import of JSON lines", () => {
  const type = "application/x-ndjson";

  it("creates rows, and names the lines of errors", async () => {
    const { status } = await importPosts('{"title":"a","views":2}\n\n{"title":"b","price":"1.25"}', "", type);
    expect(status).toBe(201);
    expect(await stored()).toMatchObject([{ title: "a", views: 2 }, { title: "b" }]);
    expect(errorsOf(await importPosts('{"title":"a"}\n\n{"title":1,"x":1}\n', "", type))).toEqual({
      status: 400,
      errors: ["line 3, title: InvalidType", "line 3, x: UnknownField"],
    });
    expect(errorsOf(await importPosts('{"title":"a"}\n{"title"\n', "", type))).toEqual({
      status: 400,
      errors: ["line 2: MalformedJson"],
    });
    expect(errorsOf(await importPosts('{"title":"a"}\n"text"\n', "", type))).toEqual({
      status: 400,
      errors: ["line 2: InvalidType"],
    });
    expect(errorsOf(await importPosts('{"title":"a","data":{"__proto__":1}}\n', "", type))).toEqual({
      status: 400,
      errors: ["line 1: ForbiddenKey"],
    });
    expect(errorsOf(await importPosts('{"title":"a","rating":1.00000000000000000001}\n', "", type))).toEqual({
      status: 400,
      errors: ["line 1, rating: InvalidValue"],
    });
    expect((await importPosts('{"title":"a"}\n'.repeat(51), "", type)).status).toBe(413);
  });

  it("limits the values of all lines together, as in one JSON body (C59)", async () => {
    const item = `{"title":"a","data":[${"0,".repeat(5_999)}0]}`;
    const [json, lines] = await Promise.all([
      importPosts(`[${item},${item}]`, "?dryRun=true", "application/json"),
      importPosts(`${item}\n${item}\n`, "?dryRun=true", "application/x-ndjson"),
    ]);
    expect([json.status, lines.status]).toEqual([413, 413]);
    expect((await importPosts(`${item}\n`, "?dryRun=true", "application/x-ndjson")).status).toBe(200);
  });
});

describe("C104 a configuration", () => {
  it("that enables files without the operation of their route prevents the start", async () => {
    const start = (Post: ModelConfig) => withPost(blog, Post, async () => undefined);
    await expect(start({ import: true, operations: { createMany: false } })).rejects.toThrow("models.Post.import");
    await expect(start({ export: true, operations: { findMany: false } })).rejects.toThrow("models.Post.export");
  });
});

describe("C104 a dry run", () => {
  it("reports the number of rows and creates none, with the hooks before the create only", async () => {
    expect(await importPosts("title\na\nb\n", "?dryRun=true")).toEqual({
      status: 200,
      body: { meta: { count: 2, dryRun: true } },
    });
    expect(await send("/posts/many?dryRun=true", '[{"title":"a"}]', "application/json")).toMatchObject({
      status: 200,
      body: { meta: { count: 1, dryRun: true } },
    });
    expect(hookRuns).toEqual(["before true", "before true"]);
    expect(await stored()).toEqual([]);
    expect((await importPosts("title\na\n", "?dryRun=false")).status).toBe(201);
    expect(await stored()).toHaveLength(1);
  });

  it("reports what only the write detects", async () => {
    await blog.client.author.create({ data: { email: "b" } });
    expect(errorsOf(await send("/authors/many?dryRun=true", "email\na\nb\na\n"))).toEqual({
      status: 409,
      errors: ["line 3, email: UniqueConstraint", "line 4, email: UniqueConstraint"],
    });
    expect(errorsOf(await importPosts("title,authorId\na,1000000\n", "?dryRun=true"))).toEqual({
      status: 400,
      errors: ["line 2, authorId: RelatedRecordNotFound"],
    });
    expect(
      errorsOf(
        await send("/posts/many?dryRun=true", '{"data":[{"title":"a","authorId":1000000}]}', "application/json"),
      ),
    ).toEqual({ status: 400, errors: ["/data/0/authorId: RelatedRecordNotFound"] });
  });

  it("of an upsert reports what would happen to each item", async () => {
    await blog.client.author.create({ data: { email: "b", name: "old" } });
    const target = "/authors/many?onConflict=email&dryRun=true";
    expect(await send(target, "email,name\na,new\nb,changed\n")).toEqual({
      status: 200,
      body: { meta: { count: 2, statuses: [201, 200], dryRun: true } },
    });
    expect(await blog.client.author.findMany({ select: { email: true, name: true } })).toEqual([
      { email: "b", name: "old" },
    ]);
  });

  it("rejects other parameters and values", async () => {
    const query = async (text: string) => errorsOf(await importPosts("title\na\n", text));
    expect(await query("?dryRun=yes")).toEqual({ status: 400, errors: ["/dryRun: InvalidValue"] });
    expect(await query("?dryRun=true&dryRun=false")).toEqual({ status: 400, errors: ["/dryRun: Repeated"] });
    expect(await query("?dryRun=true&x=1")).toEqual({ status: 400, errors: ["/x: UnknownParameter"] });
    expect(await query("?x=1")).toEqual({ status: 400, errors: ["/x: UnknownParameter"] });
    const { body } = await importPosts("title\na\n", "?onConflict=id");
    expect(body.errors[0].message).toBe("Unknown parameter onConflict; expected dryRun.");
    expect(await stored()).toEqual([]);
  });
});
