import { type PrismaClientLike, readModels } from "@servicekit/prisma";
import { prismaExecutor } from "@servicekit/prisma/internal";
import { makeMysqlAdapter } from "@servicekit/prisma/mysql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMysqlDatabase, type MysqlDatabase } from "../../../scripts/test/mysql-database.js";
import { providers } from "../../../scripts/test/provider-database.js";
import { PrismaClient } from "./generated/mysql-types/client/client.js";
import { models as data } from "./generated/mysql-types/models.js";
import { type Served, serveModels } from "./serve-models.js";

/** Values of each column in SQL, as another program writes them, with the form of the response. */
const stored: readonly (readonly [field: string, sql: string, shown: unknown])[] = [
  ["tinyint", "-128", -128],
  ["utiny", "255", 255],
  ["small", "-32768", -32_768],
  ["usmall", "65535", 65_535],
  ["medium", "-8388608", -8_388_608],
  ["umedium", "16777215", 16_777_215],
  ["uint", "2147483647", 2_147_483_647],
  ["year", "2155", 2155],
  ["ubig", "9223372036854775807", "9223372036854775807"],
  ["bool", "1", true],
  ["bit", "b'0'", false],
  ["bit", "b'1'", true],
  ["float", "0.1", 0.1],
  ["float", "3.4e38", 3.4e38],
  ["double", "0.1", 0.1],
  ["double", "1.7976931348623157e308", Number.MAX_VALUE],
  ["double", "5e-324", Number.MIN_VALUE],
  ["dec", "0.1", "0.100"],
  ["dec0", "42", "42"],
  ["bigdec", "0.000000000000000000000000000001", "0.000000000000000000000000000001"],
  ["char", "'ab '", "ab"],
  ["varchar", "'ab  '", "ab  "],
  ["text", String.raw`'a\\b%_é💥'`, String.raw`a\b%_é💥`],
  ["date", "'1000-01-01'", "1000-01-01T00:00:00.000Z"],
  ["time", "'23:59:59.999'", "1970-01-01T23:59:59.999Z"],
  ["dt", "'2024-01-01 12:34:56'", "2024-01-01T12:34:56.000Z"],
  ["dt3", "'9999-12-31 23:59:59.999'", "9999-12-31T23:59:59.999Z"],
  ["dt6", "'2024-01-01 12:34:56.123'", "2024-01-01T12:34:56.123Z"],
  ["dt6", "'2024-01-01 12:34:56.123456'", "2024-01-01T12:34:56.123Z"],
  ["ts6", "'2024-01-01 12:34:56.123999'", "2024-01-01T12:34:56.123Z"],
  ["ts", "'2038-01-19 03:14:07'", "2038-01-19T03:14:07.000Z"],
  ["json", `'{"a":[1.5,null,"x"]}'`, { a: [1.5, null, "x"] }],
  ["bin", "0x01", "AQAAAA=="],
  ["varbin", "0x0102", "AQI="],
  ["blob", "0xff00", "/wA="],
  ["bit8", "b'10000001'", "gQ=="],
  ["grade", "'b'", "B"],
];

describe.skipIf(!providers.includes("mysql"))("C119 every column type of MySQL", () => {
  let database: MysqlDatabase;
  let client: PrismaClient;
  let service: Served;
  beforeAll(async () => {
    const models = readModels(data);
    database = await createMysqlDatabase(models);
    client = new PrismaClient({ adapter: makeMysqlAdapter({ url: database.url }) });
    const ways = { executor: prismaExecutor };
    service = await serveModels(client as unknown as PrismaClientLike, models, {}, [], {}, ways);
  });
  afterAll(async () => {
    await service?.stop();
    await client?.$disconnect();
    await database?.drop();
  });
  const idsOf = async (query: string) => {
    const { status, body } = await service.call("GET", `/natives?fields=id&sort=id&${query}`);
    return [status, body.data?.map(({ id }: { readonly id: number }) => id)];
  };

  it.each(stored)("%s %s is returned, found and written as it is", async (field, sql, shown) => {
    await database.run("DELETE FROM Native");
    await database.run(`INSERT INTO Native (id, \`${field}\`) VALUES (1, ${sql}), (2, NULL)`);
    const read = async () => (await service.call("GET", `/natives/1?fields=${field}`)).body;
    expect(await read()).toEqual({ data: { [field]: shown } });
    const operand = encodeURIComponent(String(shown));
    if (field === "bit8") expect(await idsOf(`bit8=${operand}`)).toEqual([400, undefined]);
    else if (field !== "json") {
      expect(await idsOf(`${field}=${operand}`)).toEqual([200, [1]]);
      expect(await idsOf(`${field}__not=${operand}`)).toEqual([200, []]);
    }
    if (typeof shown === "number" || /T.*Z$/.test(String(shown))) {
      expect(await idsOf(`${field}__gt=${operand}`)).toEqual([200, []]);
      expect(await idsOf(`${field}__lte=${operand}`)).toEqual([200, [1]]);
      expect(await idsOf(`${field}__lt=${operand}`)).toEqual([200, []]);
      expect(await idsOf(`${field}__gte=${operand}`)).toEqual([200, [1]]);
      expect(await idsOf(`${field}__in=${operand}`)).toEqual([200, [1]]);
      expect(await idsOf(`${field}__notIn=${operand}`)).toEqual([200, []]);
      expect(await idsOf(`not[${field}]=${operand}`)).toMatchObject([200, expect.not.arrayContaining([1])]);
    }
    expect(await idsOf(`${field}__isNull=true`)).toEqual([200, [2]]);
    await database.run(`UPDATE Native SET \`${field}\` = NULL`);
    expect((await service.call("PATCH", "/natives/1", { [field]: shown })).status).toBe(200);
    expect(await read()).toEqual({ data: { [field]: shown } });
  });

  it.each(["date", "dt", "dt6", "ts", "must"])("reads a date of %s that does not exist as null", async (field) => {
    await database.run("DELETE FROM Native");
    // Only a session without the strict mode stores them.
    const insert = `INSERT INTO Native (id, \`${field}\`) VALUES (1, '0000-00-00')`;
    const statements = [
      "SET @mode = @@SESSION.sql_mode",
      "SET SESSION sql_mode = ''",
      insert,
      "SET SESSION sql_mode = @mode",
    ];
    await client.$transaction(statements.map((sql) => client.$executeRawUnsafe(sql)));
    const { status, body } = await service.call("GET", `/natives?fields=id,${field}`);
    expect([status, body.data]).toEqual([200, [{ id: 1, [field]: null }]]);
    expect((await service.call("PATCH", "/natives/1", { text: "written" })).status).toBe(200);
    expect((await service.call("DELETE", "/natives/1")).status).toBe(204);
  });

  it.each(["sort=dt", "sort=-dt", "sort=must"])(
    "rejects a cursor after a date that does not exist, with %s",
    async (sort) => {
      await database.run("DELETE FROM Native");
      const column = sort.replace(/^sort=-?/, "");
      const zero = (id: number): string => `INSERT IGNORE INTO Native (id, \`${column}\`) VALUES (${id}, '0000-00-00')`;
      await database.run(zero(1));
      await database.run(`INSERT INTO Native (id, \`${column}\`) VALUES (2, '2024-01-01')`);
      await database.run(zero(3));
      const seen: unknown[] = [];
      for (let cursor = ""; ; ) {
        const { status, body } = await service.call("GET", `/natives?fields=id&limit=1&${sort}&cursor=${cursor}`);
        if (status !== 200) {
          expect([status, body]).toMatchObject([400, { errors: [{ in: "query", path: "/sort" }] }]);
          break;
        }
        seen.push(body.data[0].id);
        cursor = body.meta.nextCursor;
      }
      expect(seen).toEqual(sort === "sort=-dt" ? [2] : []);
    },
  );

  it("reads a value that its enum does not have as null", async () => {
    await database.run("DELETE FROM Native");
    await database.run("INSERT IGNORE INTO Native (id, grade) VALUES (1, 'c')");
    const { status, body } = await service.call("GET", "/natives?fields=id,grade");
    expect([status, body.data]).toEqual([200, [{ id: 1, grade: null }]]);
  });

  it("combines conditions of times with microseconds, and rejects a cursor in their order", async () => {
    await database.run("DELETE FROM Native");
    const times = [".122999", ".123000", ".123999", ".124000"].map(
      (end, at) => `(${at + 1}, '2024-01-01 12:34:56${end}')`,
    );
    await database.run(`INSERT INTO Native (id, dt6) VALUES ${times.join(", ")}`);
    const at = (end: string): string => `2024-01-01T12:34:56.${end}Z`;
    expect(await idsOf(`dt6=${at("123")}`)).toEqual([200, [2, 3]]);
    expect(await idsOf(`dt6__gt=${at("122")}&dt6__lte=${at("123")}`)).toEqual([200, [2, 3]]);
    expect(await idsOf(`dt6__in=${at("122")},${at("124")}`)).toEqual([200, [1, 4]]);
    expect(await idsOf(`or[0][dt6]=${at("122")}&or[1][id]=3`)).toEqual([200, [1, 3]]);
    expect(await idsOf(`dt6__not=${at("123")}`)).toEqual([200, [1, 4]]);
    const { status, body } = await service.call("GET", "/natives?sort=dt6&cursor=");
    expect([status, body]).toMatchObject([400, { errors: [{ path: "/cursor" }] }]);
  });

  it("returns a number of single precision as it was written, and finds it", async () => {
    await database.run("DELETE FROM Native");
    const { status, body } = await service.call("POST", "/natives", { float: 0.1 });
    expect([status, body]).toMatchObject([201, { data: { float: 0.1 } }]);
    const found = async (query: string) => (await service.call("GET", `/natives?fields=float&${query}`)).body;
    expect(await found("float=0.1")).toMatchObject({ data: [{ float: 0.1 }] });
    expect(await found("float__gt=0.1")).toMatchObject({ data: [] });
    expect(await found("float__lte=0.1")).toMatchObject({ data: [{ float: 0.1 }] });
  });

  it("rejects a number that single precision would round, and a cursor in the order of such numbers", async () => {
    const rejected = await service.call("POST", "/natives", { float: 0.123456789 });
    expect([rejected.status, rejected.body]).toMatchObject([400, { errors: [{ in: "body", path: "/float" }] }]);
    const { status, body } = await service.call("GET", "/natives?sort=float&cursor=");
    expect([status, body]).toMatchObject([400, { errors: [{ in: "query", path: "/cursor" }] }]);
  });

  it("rejects lists of booleans, as on every database", async () => {
    for (const field of ["bit", "bool"]) {
      const { status, body } = await service.call("GET", `/natives?${field}__in=true`);
      expect([status, body]).toMatchObject([400, { errors: [{ path: `/${field}__in`, code: "UnknownOperator" }] }]);
    }
  });
});
