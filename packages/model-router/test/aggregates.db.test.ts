import { prismaExecutor, sqlExecutor } from "@servicekit/prisma/internal";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { adapterOf } from "../../../scripts/test/client-adapter.js";
import { seedBooks } from "./books.js";
import { type Served, serveModels } from "./serve-models.js";
import { issuesOf, type Shelf, shelfModels, startShelf } from "./shelf.js";

let shelf: Shelf;
/** The routes whose queries SQL runs, and those that Prisma Client runs where it can. */
let sql: Served;
let prisma: Served;
const on = { aggregate: true };
const models = { Book: on, Value: on, Payment: on, Authorship: on, TextKey: on, Listing: on };
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
  await seedBooks(shelf);
  await shelf.sql(`UPDATE "Book" SET "createdAt" = '2025-03-30T22:30:00Z' WHERE id < 4`);
  await shelf.sql(`UPDATE "Book" SET "createdAt" = '2025-12-31T23:30:00Z' WHERE id >= 4`);
  await shelf.sql(values);
  // Opens the connections that SQL uses.
  await shelf.client.$queryRawUnsafe("SELECT 1");
  const adapter = adapterOf(shelf.client);
  const executor = sqlExecutor({ client: shelf.client, link: adapter.link, models: shelfModels, schema: "public" });
  sql = await serveModels(shelf.client, shelfModels, { models }, [], {}, { executor });
  prisma = await shelf.serve({ models });
});
afterAll(async () => {
  expect([...sql.logged, ...prisma.logged]).toEqual([]);
  await sql?.stop();
  await shelf?.close();
});

const values = `INSERT INTO "all values" ("string of it", boolean, int, "bigInt", float, decimal, "dateTime", json, bytes, "size of it",
  text, char, "varChar", bit, "varBit", uuid, xml, "inet of it", "smallInt", oid, real, money, price, seconds, instant, date, time, timetz)
VALUES ('a', true, 2147483647, 9223372036854775807, 1.5, 0.000000000000000000000000000001, '2025-01-31T23:59:59.999Z', '{}',
  '\\x01', 'XL', 't', 'ab', 'v', '101', '11', '6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11', '<a/>', '10.0.0.1', 3, 7, 1.1, 12.5, 3.10,
  '2025-01-31T10:00:00', '2025-03-30T00:59:59.123456Z', '2025-02-28', '10:00', '12:00+02'),
 ('b', false, 2147483647, 9223372036854775807, 2.25, 99999999999999999999999999999999999.5, '2025-02-01T00:00:00.000Z', '{}',
  '\\x02', 'MEDIUM', 't', 'cd', 'v', '001', '11', '6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a12', '<a/>', '10.0.0.2', 3, 7, 2.2, 0.01, 3.20,
  '2024-12-31T10:00:00', '2025-10-26T01:30:00.000001Z', '2025-03-01', '11:00', '10:00+00')`;

const get = async (query: string, path = "books", served = sql) => {
  const { status, body, headers } = await served.call("GET", `/${path}/aggregate?${query}`);
  return { status, body, headers, data: body.data };
};
const issues = async (query: string, path = "books") => {
  const { status, body } = await get(query, path);
  return [
    status,
    ...(body.errors ?? []).map((issue: { path: string; message: string }) => `${issue.path} ${issue.message}`),
  ];
};

const zoneIssue = "/timeZone timeZone must be UTC or an IANA name such as Europe/Zurich.";

describe("C98 aggregates", () => {
  it("are off until a model enables them", async () => {
    expect((await sql.call("GET", "/tags/aggregate")).status).toBe(404);
    expect((await sql.call("GET", "/publishers/aggregate")).status).toBe(404);
  });

  it("compute values of all rows without groupBy", async () => {
    const query = "count=true&sum=pages,price&avg=pages,score&min=title,publishedAt&max=price&countDistinct=title";
    expect((await get(query)).body).toEqual({
      data: [
        {
          count: 6,
          sum: { pages: "1300", price: "132.49" },
          avg: { pages: "260", score: 1.7 },
          min: { title: "FIVE", publishedAt: "1999-12-31T00:00:00.000Z" },
          max: { price: "99.99" },
          countDistinct: { title: 5 },
        },
      ],
      meta: { count: 1, limit: 100, page: 1, hasMore: false },
    });
  });

  it("of no rows are one group, or none with groupBy", async () => {
    expect((await get("count=true&sum=pages&title=nothing")).data).toEqual([{ count: 0, sum: { pages: null } }]);
    expect((await get("groupBy=size&count=true&title=nothing")).data).toEqual([]);
  });

  it("group by fields, with NULL as a group, and sort by groups and measures", async () => {
    expect((await get("groupBy=size&count=true&sum=price&sort=-count")).data).toEqual([
      { group: { size: "LARGE" }, count: 2, sum: { price: "112.49" } },
      { group: { size: null }, count: 2, sum: { price: "10.00" } },
      { group: { size: "SMALL" }, count: 1, sum: { price: "10.00" } },
      { group: { size: "MEDIUM" }, count: 1, sum: { price: null } },
    ]);
    const sizes = (await get("groupBy=size&sort=-max.pages,size")).data;
    expect(sizes).toEqual(["LARGE", null, "MEDIUM", "SMALL"].map((size) => ({ group: { size } })));
  });

  it("group by the first day of a period in a time zone", async () => {
    const parts = "groupBy=createdAt:day,createdAt:week,createdAt:month,createdAt:quarter,createdAt:year";
    const days = async (zone: string) =>
      (await get(`${parts}${zone}`)).data.map(({ group }: never) => Object.values(group));
    expect(await days("")).toEqual([
      ["2025-03-30", "2025-03-24", "2025-03-01", "2025-01-01", "2025-01-01"],
      ["2025-12-31", "2025-12-29", "2025-12-01", "2025-10-01", "2025-01-01"],
    ]);
    expect(await days("&timeZone=Europe/Berlin")).toEqual([
      ["2025-03-31", "2025-03-31", "2025-03-01", "2025-01-01", "2025-01-01"],
      ["2026-01-01", "2025-12-29", "2026-01-01", "2026-01-01", "2026-01-01"],
    ]);
  });

  it("group by fields of related rows", async () => {
    expect((await get("groupBy=publisher.name&sum=pages&sort=-sum.pages,publisher.name")).data).toEqual([
      { group: { "publisher.name": "Beta, Sons" }, sum: { pages: null } },
      { group: { "publisher.name": "Gamma" }, sum: { pages: "500" } },
      { group: { "publisher.name": "Alpha" }, sum: { pages: "400" } },
      { group: { "publisher.name": null }, sum: { pages: "400" } },
    ]);
    const payments = await get("groupBy=authorship.writer.name&sum=amount&sort=-sum.amount&limit=1", "payments");
    expect(payments.data).toEqual([{ group: { "authorship.writer.name": "Cid" }, sum: { amount: "100.00" } }]);
  });

  it("sort groups without a value first or last", async () => {
    const order = async (sort: string) =>
      (await get(`groupBy=publisher.name&sum=pages&sort=${sort}`)).data.map(
        ({ group, sum }: { group: Record<string, string>; sum: { pages: string } }) =>
          `${group["publisher.name"]} ${sum.pages}`,
      );
    const [beta, ...others] = await order("-sum.pages,publisher.name");
    expect(await order("-sum.pages:nullsLast,publisher.name")).toEqual([...others, beta]);
    expect((await order("sum.pages:nullsFirst"))[0]).toBe(beta);
    expect((await order("sum.pages:nullsLast")).at(-1)).toBe(beta);
    expect((await order("publisher.name:nullsFirst"))[0]).toBe("null 400");
    expect((await order("-publisher.name:nullsLast")).at(-1)).toBe("null 400");
    const { body } = await sql.call(
      "GET",
      "/books/aggregate?groupBy=title&count=true&sort=title:nulls,count:nullslast",
    );
    expect(body.errors.map(({ message }: { message: string }) => message)).toEqual([
      "sort cannot use title:nulls. Did you mean title?",
      "sort cannot use count:nullslast. Did you mean count?",
    ]);
  });

  it("compare counts with numbers of 64 bits", async () => {
    const names = async (having: string) =>
      (await get(`groupBy=publisher.name&${having}`)).data.map(({ group }: never) => group["publisher.name"]);
    expect(await names("having[count][gt]=3000000000")).toEqual([]);
    expect(await names("having[count][lt]=9223372036854775807")).toHaveLength(4);
    expect(await names("having[countDistinct][id][lte]=3000000000")).toHaveLength(4);
    for (const value of ["9223372036854775808", "1.5", "x"])
      expect((await sql.call("GET", `/books/aggregate?count=true&having[count][gt]=${value}`)).status).toBe(400);
  });

  it("read the rows that the filters of the list match", async () => {
    const filter = "or[0][publisher][city]=Bern&or[1][pages__gt]=400&search=o";
    const { body } = await sql.call("GET", `/books?${filter}`);
    expect((await get(`count=true&${filter}`)).data).toEqual([{ count: body.meta.total }]);
  });

  it("keep the groups that match conditions on measures", async () => {
    const names = async (having: string) =>
      (await get(`groupBy=publisher.name&${having}`)).data.map(({ group }: never) => group["publisher.name"]);
    expect(await names("having[count][gt]=1")).toEqual(["Alpha"]);
    expect(await names("having__count__gte=2")).toEqual(["Alpha"]);
    expect(await names("having[sum][pages][gt]=100&having[sum][pages][lt]=500")).toEqual(["Alpha", null]);
    expect(await names("having[sum][pages][isNull]=true")).toEqual(["Beta, Sons"]);
    expect(await names("having[or][0][max.score][gt]=4&having[or][1][avg][price][equals]=99.99")).toEqual([
      "Gamma",
      null,
    ]);
    expect(await names("having[count]=3&having[sum][pages]=400,401")).toEqual(["Alpha"]);
    expect(await names("having[max][size][in]=LARGE,MEDIUM")).toEqual(["Alpha", "Beta, Sons", "Gamma"]);
  });

  it("have pages and links", async () => {
    const { data, body, headers } = await get("groupBy=title&limit=2&page=2");
    expect(data).toHaveLength(2);
    expect(body.meta).toEqual({ count: 2, limit: 2, page: 2, hasMore: true });
    expect(headers.get("link")).toContain('/books/aggregate?groupBy=title&limit=2&page=3>; rel="next"');
    expect((await get("groupBy=title&limit=2&page=3")).body.meta).toEqual({
      count: 1,
      limit: 2,
      page: 3,
      hasMore: false,
    });
  });

  it("respond 304 to a conditional request", async () => {
    const { headers } = await get("count=true");
    const again = await fetch(`${sql.url}/books/aggregate?count=true`, {
      headers: { "if-none-match": headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
  });

  it("are exact for every type", async () => {
    const path = "values";
    const sums = await get(
      "sum=int,bigInt,float,decimal,smallInt,real,money,price&avg=int,bigInt,decimal,money,real",
      path,
    );
    expect(sums.data).toEqual([
      {
        sum: {
          ...{
            int: "4294967294",
            bigInt: "18446744073709551614",
            float: 3.75,
            smallInt: "6",
            real: 3.3000000715255737,
          },
          decimal: "99999999999999999999999999999999999.500000000000000000000000000001",
          ...{ money: "12.51", price: "6.30" },
        },
        avg: {
          ...{ int: "2147483647", bigInt: "9223372036854775807", money: "6.255", real: 1.6500000357627869 },
          decimal: "49999999999999999999999999999999999.750000000000000000000000000001",
        },
      },
    ]);
    const every =
      "string,int,bigInt,float,decimal,dateTime,size,text,char,varChar,inet,oid,real,money,seconds,instant,date,time,timetz";
    const listed = (await sql.call("GET", `/values?fields=${every}&sort=id`)).body.data;
    expect((await get(`max=${every}&id=2`, path)).data).toEqual([{ max: listed[1] }]);
    expect((await get(`min=${every}&id=1`, path)).data).toEqual([{ min: listed[0] }]);
    const all = `${every},boolean,bytes,bit,varBit,uuid`.split(",");
    for (const field of all) {
      const groups = await get(`groupBy=${field}&countDistinct=${field}`, path);
      const rows = (await sql.call("GET", `/values?fields=${field}`)).body.data;
      const expected = new Set(rows.map((row: Record<string, unknown>) => JSON.stringify(row[field])));
      expect(new Set(groups.data.map(({ group }: never) => JSON.stringify(group[field]))), field).toEqual(expected);
    }
  });

  it("reject what they cannot compute, at the parameter", async () => {
    expect(await issues("")).toEqual([
      400,
      "/groupBy An aggregate requires groupBy, count=true, or a measure such as sum or max.",
    ]);
    const cases: readonly (readonly [query: string, issue: string])[] = [
      ["count=yes", "/count count must be true or false."],
      ["groupBy=", "/groupBy groupBy must be names of fields, separated by commas."],
      ["groupBy=siz", "/groupBy Book has no field siz. Did you mean size?"],
      ["groupBy=publisher", "/groupBy publisher is a relation of Book. Did you mean publisher.id?"],
      ["groupBy=publisher.secret", "/groupBy Publisher has no field secret."],
      ["groupBy=tags.name", "/groupBy groupBy cannot use tags, which is a to-many relation."],
      ["groupBy=size,size", "/groupBy groupBy must name size only once."],
      ["groupBy=id,title,subtitle,isbn,pages,score", "/groupBy groupBy accepts at most 5 values (sortKeys)."],
      ["groupBy=createdAt:moth", '/groupBy createdAt has no part "moth" in groupBy. Did you mean month?'],
      ["groupBy=createdAt.month", "/groupBy createdAt is not a relation. Did you mean createdAt:month?"],
      ["groupBy=title:day", "/groupBy groupBy cannot use a part of title, which is not a date."],
      ["groupBy=constructor", "/groupBy Book has no field constructor."],
      ["groupBy=%22%27;--", "/groupBy Book has no field \"';--."],
      ["sum=title", "/sum sum cannot use title: its values are not numbers."],
      ["sum=", "/sum sum must be names of fields, separated by commas."],
      ["sum=pages,pages", "/sum sum must name pages only once."],
      ["sum=pages&sum=price", "/sum sum must appear only once."],
      ["sum=pags", "/sum Book has no field pags. Did you mean pages?"],
      ["sum=publisher.id", "/sum publisher is a relation of Book, not a field."],
      ["count=true&timeZone=Europe/Zuri", `${zoneIssue} Did you mean Europe/Zurich?`],
      ["count=true&timeZone=%2B01:00", zoneIssue],
      ["count=true&timeZone=EST", zoneIssue],
      ["count=true&timeZone=", zoneIssue],
      ["count=true&having=5", "/having having requires a measure and an operator, such as having[count][gt]=5."],
      [
        "having[sum]=5&count=true",
        "/having[sum] having[sum] requires a field and a condition, such as having[sum][…][gt].",
      ],
      [
        "having[cnt][gt]=5&count=true",
        '/having[cnt][gt] having has no measure "cnt"; expected one of count, sum, avg, min, max, countDistinct.',
      ],
      ["having[sum][pags][gt]=5&count=true", "/having[sum][pags][gt] Book has no field pags. Did you mean pages?"],
      [
        "having[count][gt]=Infinity&count=true",
        "/having[count][gt] having[count][gt] must be an integer from -9223372036854775808 to 9223372036854775807.",
      ],
      ["count=true&sort=sum.pags", "/sort sort cannot use sum.pags. Did you mean sum.pages?"],
      [
        "groupBy=size&sort=title",
        "/sort sort cannot use title. Expected one of size, count, or a measure such as sum.id.",
      ],
      ["count=true&limit=1001", "/limit limit must be an integer from 1 to 1000."],
      ["count=true&fields=id", "/fields Book has no field fields."],
      ["groupby=size&count=true", "/groupby Book has no field groupby. Did you mean groupBy?"],
    ];
    for (const [query, issue] of cases) expect(await issues(query), query).toEqual([400, issue]);
    expect(await issues("min=uuid", "values")).toEqual([
      400,
      "/min min cannot use uuid: PostgreSQL has no minimum and maximum of its type.",
    ]);
    expect(await issues("groupBy=json", "values")).toEqual([
      400,
      "/groupBy groupBy cannot use json: its values have no order.",
    ]);
    expect(await issues("sum=float", "values")).toEqual([200]);
    await shelf.sql(`UPDATE "all values" SET float = 1.7e308 WHERE id < 3`);
    expect(await issues("sum=float", "values")).toEqual([
      400,
      "/sum sum cannot use float: the result is out of range.",
    ]);
  });

  it("have no fields and relations that the default options of the list exclude", async () => {
    const narrow = {
      Book: { aggregate: true, query: { findMany: { select: { id: true, title: true, sequel: true } } } },
    };
    const one = await shelf.serve({
      models: { ...narrow, Publisher: { query: { findMany: { omit: { city: true } } } } },
    });
    const other = await shelf.serve({
      models: { Book: on, Publisher: { query: { findMany: { omit: { city: true } } } } },
    });
    const statusOf = async (query: string, served: Served) => (await get(query, "books", served)).status;
    for (const query of [
      "groupBy=title",
      "groupBy=sequel.title",
      "max=title",
      "count=true&pages__gt=1&having[max][id][gt]=0",
    ])
      expect(await statusOf(query, one), query).toBe(200);
    const excluded = [
      "groupBy=pages",
      "groupBy=publisher.name",
      "groupBy=sequel.pages",
      "groupBy=sequel.publisher.name",
    ];
    for (const query of [...excluded, "sum=price", "count=true&having[sum][pages][gt]=1", "count=true&sort=sum.pages"])
      expect(await statusOf(query, one), query).toBe(400);
    expect(await statusOf("groupBy=publisher.name", other)).toBe(200);
    expect(await statusOf("groupBy=publisher.city", other)).toBe(400);
  });

  it("limit the cost of filters", async () => {
    const filter = Array.from({ length: 90 }, (_, at) => `or[${at}][tags][some][name__icontains]=a`).join("&");
    const { status, body } = await get(`count=true&${filter}`);
    expect([status, body.code]).toEqual([400, "QueryLimitExceeded"]);
  });

  it("keep their path free of rows", async () => {
    const { status, body } = await sql.call("POST", "/text-keys", { id: "Aggregate" });
    expect([status, body.errors[0].message]).toEqual([
      400,
      'An id must not be "aggregate", the path of another route.',
    ]);
  });

  it("have no other method", async () => {
    const { status, headers } = await sql.call("DELETE", "/books/aggregate");
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  it("require the list", () => {
    const settings = { models: { Book: { aggregate: true, operations: { findMany: false } } } };
    expect(issuesOf(shelf, settings)).toEqual([
      { where: "models.Book.aggregate", message: "Aggregates require the list. Enable findMany." },
    ]);
  });
});

describe("C98 aggregates by Prisma Client", () => {
  it("equal those of SQL", async () => {
    const queries = [
      "count=true&sum=pages,price,score&avg=price,score&min=title,size&max=publishedAt",
      "groupBy=size,publisherId&count=true&sum=price&sort=-count,-sum.price&limit=3&page=2",
      "groupBy=title&max=pages&sort=max.pages&publisher__city=Bern",
      "count=true&title=nothing&page=2",
    ];
    for (const query of queries) {
      const [one, other] = [await get(query), await get(query, "books", prisma)];
      expect(other.body, query).toEqual(one.body);
    }
  });

  it("leave the rest to SQL, also before the first connection", async () => {
    const client = shelf.unconnected();
    const fresh = await serveModels(client, shelfModels, { models });
    const query = "groupBy=publisher.name,createdAt:month&countDistinct=title&avg=pages&having[count][gt]=1";
    expect((await get(query, "books", fresh)).body).toEqual((await get(query)).body);
    await fresh.stop();
    await client.$disconnect();
  });

  it("without SQL are rejected with the reason", async () => {
    const only = await serveModels(shelf.client, shelfModels, { models }, [], {}, { executor: prismaExecutor });
    const reasons = [
      ["groupBy=createdAt:day", "groupBy", "does not group by createdAt:day, a part of a date"],
      ["groupBy=publisher.name", "groupBy", "does not group by publisher.name, a field of another model"],
      ["countDistinct=title", "countDistinct", "does not count distinct values"],
      ["avg=pages", "avg", "rounds avg.pages"],
      ["count=true&having[count][gt]=1", "having", "does not compare every measure exactly"],
    ];
    for (const [query = "", parameter, reason] of reasons) {
      const message = `${parameter} is not available here: Book is read by Prisma Client, which ${reason}.`;
      const { body } = await get(query, "books", only);
      expect(body.errors, query).toEqual([{ in: "query", path: `/${parameter}`, code: "Unsupported", message }]);
    }
    await only.stop();
  });
});
