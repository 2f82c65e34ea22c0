import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { lists, values } from "./arbitraries.js";
import { columnKinds } from "./column-kinds.js";
import { type Shelf, startShelf } from "./shelf.js";

const isLong = process.env.SERVICEKIT_LONG === "1";
let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
});
afterAll(() => shelf?.close());

const plainDecimal = (value: unknown): string => {
  const text = String(value);
  const [, sign = "", complete = "", fraction = ""] = /^(-?)0*(\d*?)(?:\.(\d*?)0*)?$/.exec(text) ?? [];
  const plain = `${complete === "" ? "0" : complete}${fraction === "" ? "" : `.${fraction}`}`;
  return plain === "0" ? "0" : `${sign}${plain}`;
};
const decimals = /^(decimal|price|money|bigInt)s?$/;
const moments = /^(dateTime|seconds|instant|date|time|timetz)s?$/;

/** A value in the form of contract C4. */
function shown(name: string, value: unknown): unknown {
  if (value === null) return null;
  if (Array.isArray(value) && name in lists && !name.startsWith("json")) return value.map((item) => shown(name, item));
  if (decimals.test(name)) return plainDecimal(value);
  if (moments.test(name)) {
    const text = String(value);
    return new Date(/T.*(Z|[+-]\d\d:\d\d)$/.test(text) || !text.includes("T") ? text : `${text}Z`).toISOString();
  }
  if (name.startsWith("uuid")) return String(value).toLowerCase();
  return JSON.parse(JSON.stringify(value));
}

/** The result is equal, except for the notation of network addresses and trailing zeros of decimals. */
function expectEqual(name: string, read: unknown, sent: unknown): void {
  if (name === "inet" && sent !== null) {
    const plain = (text: string) => text.replace(/\/(32|128)$/, "");
    const url = (text: string) =>
      text.includes(".") && !text.includes(":") ? text : new URL(`http://[${text}]`).hostname;
    const [a = "", b = ""] = [plain(String(read)), plain(String(sent))].map((text) =>
      text.includes("/") ? text : url(text),
    );
    expect(a).toBe(b);
    return;
  }
  const seen =
    decimals.test(name) && read !== null ? (Array.isArray(read) ? read.map(plainDecimal) : plainDecimal(read)) : read;
  expect({ [name]: seen }).toEqual({ [name]: shown(name, sent) });
}

async function expectKept(
  path: string,
  id: number,
  sent: Readonly<Record<string, unknown>>,
  response: Record<string, unknown>,
) {
  const one = await shelf.call("GET", `${path}/${id}`);
  const list = await shelf.call("GET", `${path}?id=${id}`);
  for (const [name, value] of Object.entries(sent)) expectEqual(name, response[name], value);
  expect(one.body.data).toEqual(response);
  expect(list.body.data).toEqual([response]);
}

const bodyOf = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>, isList: boolean) =>
  fc.constantFrom(...Object.keys(fields)).chain((name) => {
    const one = fields[name] ?? fc.constant(null);
    const body = fc.record({ [name]: isList ? fc.array(one, { maxLength: 3 }) : fc.option(one, { freq: 12 }) });
    // As JSON represents it: it has no value for non-finite numbers.
    return body.map((drawn): Record<string, unknown> => JSON.parse(JSON.stringify(drawn)));
  });

describe("C4, C12 a written value is read back, or is a 400", () => {
  it.each([
    ["/values", bodyOf(values, false)],
    ["/listings", bodyOf(lists, true)],
  ] as const)(
    "%s by POST, PATCH and bulk",
    async (path, bodies) => {
      let taken = 0;
      await fc.assert(
        fc.asyncProperty(bodies, bodies, async (first, second) => {
          const created = await shelf.call("POST", path, first);
          expect([201, 400]).toContain(created.status);
          if (created.status === 400) return;
          taken++;
          const { id } = created.body.data;
          await expectKept(path, id, first, created.body.data);
          const changed = await shelf.call("PATCH", `${path}/${id}`, second);
          expect([200, 400]).toContain(changed.status);
          if (changed.status === 200) await expectKept(path, id, { ...first, ...second }, changed.body.data);
          const bulk = await shelf.call("PATCH", `${path}/many`, [{ id, ...second }]);
          expect(bulk.status).toBe(changed.status);
          if (bulk.status === 200) expect(bulk.body.data).toEqual([changed.body.data]);
          const many = await shelf.call("POST", `${path}/many`, [first, first]);
          expect(many.status).toBe(201);
          const { id: _, ...rest } = created.body.data;
          expect(many.body.data.map(({ id: _id, ...row }: { id: number }) => row)).toEqual([rest, rest]);
        }),
        { numRuns: isLong ? 3000 : 150 },
      );
      expect(taken).toBeGreaterThan(40);
      expect(shelf.logged).toEqual([]);
    },
    600_000,
  );

  it("of every column together", async () => {
    const body = Object.fromEntries(
      Object.entries(columnKinds).map(
        ([
          name,
          {
            values: [first, second],
          },
        ]) => [name, second ?? first],
      ),
    );
    const typed = {
      ...body,
      boolean: false,
      int: 1,
      float: 0.1,
      real: 0.1,
      smallInt: 1,
      oid: 1,
      json: { a: [1, null] },
      plainJson: null,
    };
    const { status, body: response } = await shelf.call("POST", "/musts", typed);
    expect(status).toBe(201);
    await expectKept("/musts", response.data.id, typed, response.data);
    for (const name of Object.keys(typed).filter((one) => one !== "json" && one !== "plainJson")) {
      for (const lack of [
        { ...typed, [name]: null },
        { ...typed, [name]: undefined },
      ]) {
        const rejected = await shelf.call("POST", "/musts", lack);
        expect([name, rejected.status, rejected.body.errors]).toEqual([
          name,
          400,
          [expect.objectContaining({ path: `/${name}` })],
        ]);
      }
    }
  });
});
