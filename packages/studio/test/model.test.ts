import { describe, expect, it } from "vitest";
import { toCurl, toLiteral, withoutSecrets } from "../app/src/api/sent-requests.js";
import { firstColumns, possibleColumns, shapeOf } from "../app/src/model/columns.js";
import { readCsv, toCsv } from "../app/src/model/csv.js";
import { type ApiDocument, writtenFields } from "../app/src/model/document.js";
import { operatorsOf, toWhere } from "../app/src/model/filter.js";
import { formFields, readDraft, toInput } from "../app/src/model/form-fields.js";
import { keyOf, labelOf, readKey, toModels, writeKey } from "../app/src/model/model-info.js";

const operations = ["findMany", "findOne", "createOne", "updateOne"].map((name) => ({
  name,
  method: "GET",
  path: "/api/order-items",
  ...(name === "updateOne" ? { allowed: false } : {}),
}));
const field = (name: string, type: string, more: object = {}) => ({
  ...{ name, type, required: true, unique: false, list: false },
  ...more,
});
const models = toModels([
  {
    name: "order-item",
    path: "/api/order-items",
    key: ["orderId", "line"],
    fields: [
      field("orderId", "Int"),
      field("line", "Int"),
      field("price", "Decimal"),
      field("note", "String", { required: false }),
      field("tags", "String", { list: true }),
      field("extra", "Json", { required: false }),
      field("day", "DateTime"),
      field("state", "State", { values: ["A", "B"] }),
      field("order", "Order", { relation: "order", references: { orderId: "id" }, opposite: "items" }),
    ],
    operations,
  },
  {
    name: "order",
    path: "/api/orders",
    key: ["id"],
    fields: [field("id", "Int"), field("title", "String")],
    operations,
  },
]);
const [item, order] = models as [(typeof models)[number], (typeof models)[number]];

const document: ApiDocument = {
  paths: {
    "/api/order-items": {
      post: {
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/ItemCreate" } } } },
      },
    },
  },
  components: {
    schemas: {
      ItemCreate: {
        allOf: [
          { $ref: "#/components/schemas/ItemFields" },
          {
            anyOf: [
              { properties: { orderId: {} }, required: ["orderId"] },
              { properties: { order: {} }, required: ["order"] },
            ],
          },
        ],
        properties: { order: { type: "object" } },
        required: ["price"],
      },
      ItemFields: {
        properties: {
          orderId: { type: "integer", maximum: 100 },
          price: { anyOf: [{ type: "string", pattern: "^\\d+(\\.\\d{1,2})?$" }, { type: "number" }] },
          note: { type: ["string", "null"], maxLength: 5 },
          day: { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\d$" },
          tags: { type: "array", items: { type: "string" } },
          token: { type: "string" },
        },
      },
    },
  },
};

describe("C76 what the studio makes of discovery", () => {
  it("names models as a person does, and as the client does", () => {
    expect(item).toMatchObject({ title: "Order items", property: "orderItems" });
    expect([item.may("createOne"), item.may("updateOne"), item.may("deleteOne")]).toEqual([true, false, false]);
    expect(item.field("orderId")?.keyOf?.name).toBe("order");
  });

  it("writes and reads keys of several fields, whatever is in them", () => {
    const key = keyOf(item, { orderId: "a,b/%", line: 2 });
    expect(readKey(writeKey(key ?? []))).toEqual(["a,b/%", "2"]);
    expect(keyOf(item, { orderId: 1 })).toBeUndefined();
  });

  it("calls rows by what tells them apart", () => {
    expect(labelOf(order, { id: 1, title: "Mugs" })).toBe("Mugs");
    expect(labelOf(item, { orderId: 1, line: 2 })).toBe("#1, 2");
  });

  it("shows relations in the place of their keys, and asks for no more than its columns", () => {
    const possible = possibleColumns(item, models);
    const names = firstColumns(item, possible);
    expect(names).toContain("order");
    expect(names).not.toContain("extra");
    expect(
      shapeOf(
        item,
        possible.filter(({ name }) => ["price", "order"].includes(name)),
      ),
    ).toEqual({
      fields: ["orderId", "line", "price"],
      include: { order: true },
    });
  });
});

describe("C76 filters of the studio", () => {
  it("joins conditions, and keeps two of one operator apart", () => {
    expect(
      toWhere([
        ["state", "in", "A, B"],
        ["note", "isNull", "false"],
        ["price", "gte", "1.10"],
        ["line", "lt", ""],
      ]),
    ).toEqual({
      state: { in: ["A", "B"] },
      note: { isNull: false },
      price: { gte: "1.10" },
    });
    expect(
      toWhere([
        ["note", "icontains", "a"],
        ["note", "icontains", "b"],
      ]),
    ).toEqual({
      note: { icontains: "a" },
      AND: [{ note: { icontains: "b" } }],
    });
    expect(toWhere([])).toBeUndefined();
  });

  it("offers what the document says of a field, else what its type takes", () => {
    const note = item.field("note");
    const tags = item.field("tags");
    if (note === undefined || tags === undefined) throw new Error("no field");
    expect(operatorsOf(note, ["equals", "isNull"])).toEqual(["equals", "isNull"]);
    expect(operatorsOf(note, undefined)).toContain("isNull");
    expect(operatorsOf(tags, undefined)).toEqual(["has", "hasSome", "hasEvery", "isEmpty"]);
  });
});

describe("C76 forms of the studio", () => {
  const fields = formFields(document, item, "create");
  const named = (name: string) => fields.find((each) => each.name === name);

  it("come from the document: a foreign key is required where it or its relation is", () => {
    expect(writtenFields(document, item, "update")).toBeUndefined();
    expect(fields.map(({ name }) => name)).toEqual(["orderId", "price", "note", "tags", "day", "token"]);
    expect(named("orderId")).toMatchObject({ isRequired: true, title: "Order" });
    expect(named("note")).toMatchObject({ isNullable: true, isRequired: false });
    expect(named("day")).toMatchObject({ kind: "datetime", isDay: true });
    expect(formFields(null, order, "create").map(({ name }) => name)).toEqual(["id", "title"]);
  });

  it("round nothing, and send what was touched alone", () => {
    const price = "12345678901234567890.12";
    const { body, faults } = readDraft(fields, { price, note: null, orderId: "7", tags: ["x"], day: "2026-01-31" });
    expect(body).toEqual({ price, note: null, orderId: 7, tags: ["x"], day: "2026-01-31" });
    expect(faults.size).toBe(0);
    expect([...readDraft(fields, { orderId: "seven", price: "1e5" }).faults.keys()]).toEqual(["orderId", "price"]);
    const day = named("day");
    if (day === undefined) throw new Error("no field");
    expect(toInput(day, "2026-01-31T00:00:00.000Z")).toBe("2026-01-31");
  });
});

describe("C76 CSV of the studio", () => {
  const columns = item.fields.filter(({ name }) => ["price", "note"].includes(name));

  it("writes no formula, and reads what it has written", () => {
    const hostile = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://x","y")'];
    const csv = toCsv(
      columns,
      hostile.map((note) => ({ price: "-1.50", note })),
      true,
    );
    for (const text of hostile) expect(csv).toContain(`'${text.replaceAll('"', '""')}`);
    expect(csv).not.toMatch(/(^|,|\n)"?[=+@\t]/);
    expect(csv).toContain("-1.50");
    const plain = toCsv(columns, [{ price: "1", note: 'a "b", c\nd' }], true);
    expect(readCsv(`${plain}2,=1+1\r\n`, formFields(document, item, "create")).lines.map(({ row }) => row)).toEqual([
      { price: "1", note: 'a "b", c\nd' },
      { price: "2", note: "=1+1" },
    ]);
  });

  it("finds before anything is sent what the schema refuses", () => {
    const text = "orderId,price,note,tags,colour\n1,2.50,abc,x,red\n101,2.505,abcdef,,blue\nx,,,,\n";
    const read = readCsv(text, formFields(document, item, "create"));
    expect(read.unknown).toEqual(["colour"]);
    expect(read.lines[0]).toEqual({
      line: 2,
      row: { orderId: 1, price: "2.50", note: "abc", tags: ["x"] },
      faults: [],
    });
    expect(read.lines[1]?.faults).toEqual([
      "orderId must be at most 100",
      "price has another form than the schema says",
      "note has more than 5 characters",
    ]);
    expect(read.lines[2]?.faults).toContain("price is required");
  });
});

describe("C76 requests as the drawer shows them", () => {
  it("are commands that a shell reads, without passwords and tokens", () => {
    const body = withoutSecrets('{"username":"ada","password":"hush","note":"it\'s"}');
    const headers = { "content-type": "application/json", authorization: "Bearer hush" };
    const curl = toCurl(
      { id: 1, method: "POST", url: "http://x/api/tags?a[b]=1", headers, body, code: undefined },
      true,
    );
    expect(curl).not.toContain("hush");
    expect(curl).toContain("it'\\''s");
    expect(curl).toContain("curl -g -X POST 'http://x/api/tags?a[b]=1'");
  });

  it("are code that a program reads", () => {
    expect(toLiteral({ where: { "a-b": [1, "x", null] }, sort: undefined })).toBe(
      '{ where: { "a-b": [1, "x", null] } }',
    );
  });
});
