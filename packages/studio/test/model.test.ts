import { describe, expect, it } from "vitest";
import { toCurl, toLiteral, toParts, withoutSecrets } from "../app/src/api/sent-requests.js";
import { firstColumns, possibleColumns, shapeOf } from "../app/src/model/columns.js";
import { fileFields, writtenFields } from "../app/src/model/document.js";
import {
  completeClauses,
  describeClause,
  filterFields,
  operatorsOf,
  readClauses,
  toWhere,
} from "../app/src/model/filter.js";
import { formFields, readDraft, rowFields, toInput, toSent } from "../app/src/model/form-fields.js";
import { keyOf, labelOf, type ModelInfo, readKey, toModels, writeKey } from "../app/src/model/model-info.js";
import { pathnameIn, readStoredFile } from "../app/src/model/stored-file.js";
import { document, item, models, order } from "./shop-models.js";

describe("C76 the studio's models from discovery", () => {
  it("have readable titles and the client's names", () => {
    expect(item).toMatchObject({ title: "Order items", one: "order item", property: "orderItems" });
    // From the type of a relation, and from the name of the resource.
    expect([order.schemaName, item.schemaName]).toEqual(["Order", "OrderItem"]);
    expect([item.may("createOne"), item.may("updateOne"), item.may("deleteOne")]).toEqual([true, false, false]);
    expect(item.field("orderId")?.keyOf?.name).toBe("order");
  });

  it("have keys of several fields, with any characters", () => {
    const key = keyOf(item, { orderId: "a,b/%", line: 2 });
    expect(readKey(writeKey(key ?? []))).toEqual(["a,b/%", "2"]);
    expect(keyOf(item, { orderId: 1 })).toBeUndefined();
  });

  it("label rows by what distinguishes them", () => {
    expect(labelOf(order, { id: 1, title: "Mugs" })).toBe("Mugs");
    expect(labelOf(item, { orderId: 1, line: 2 })).toBe("#1, 2");
  });

  it("show relations in place of their keys, and request only the columns", () => {
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

describe("C102 computed fields in the studio", () => {
  const person = { name: "person", path: "/api/people", key: ["id"], operations: [] };
  const common = { type: "String", required: true, unique: false, list: false };
  const fields = [
    { ...common, name: "id" },
    { ...common, name: "fullName", computed: true as const },
  ];
  const [model] = toModels([{ ...person, fields }]) as [ModelInfo];

  it("are in filters if queries may use them", () => {
    const [field, other] = [
      { ...common, name: "id" },
      { ...common, name: "total", computed: true as const },
    ];
    const [order] = toModels([{ ...person, fields: [field, { ...other, queryable: true }] }]) as [ModelInfo];
    expect(filterFields(order).map(({ name }) => name)).toEqual(["id", "total"]);
  });

  it("are columns and labels, but otherwise in no filter or form", () => {
    expect(possibleColumns(model, [model]).map(({ name }) => name)).toEqual(["id", "fullName"]);
    expect(labelOf(model, { id: "1", fullName: "Ann Lee" })).toBe("Ann Lee");
    expect(filterFields(model).map(({ name }) => name)).toEqual(["id"]);
    expect(formFields(undefined, model, "create").map(({ name }) => name)).toEqual(["id"]);
  });
});

describe("C76 filters of the studio", () => {
  it("combine conditions, and separate two of one operator", () => {
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

  it("have groups with OR and NOT, nested in each other", () => {
    const clauses = readClauses([
      ["state", "equals", "A"],
      [
        "any",
        [
          ["note", "icontains", "x"],
          ["line", "gt", "3"],
          ["price", "lt", ""],
        ],
      ],
      ["none", [["tags", "has", "y"]]],
      ["none", [["price", "lt", ""]]],
    ]);
    expect(toWhere(clauses)).toEqual({
      state: { equals: "A" },
      AND: [{ OR: [{ note: { icontains: "x" } }, { line: { gt: "3" } }] }, { NOT: { OR: [{ tags: { has: "y" } }] } }],
    });
    expect(completeClauses(clauses).map((clause) => describeClause(item, clause))).toEqual([
      "State is A",
      "any of: Note contains x; Line is more than 3",
      "none of: Tags has y",
    ]);
    const strange = [
      ["any", "x"],
      ["all", []],
      ["any", [["a", "b"]]],
      ["any", [["any", []]]],
      "x",
      null,
      ["a", 1, "c"],
    ];
    expect(readClauses(strange)).toEqual([]);
    expect(readClauses({ length: 1 })).toEqual([]);
  });

  it("offer the operators of the document, or those of the field's type", () => {
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

  it("come from the document: a foreign key is required if it or its relation is", () => {
    expect(writtenFields(document, item, "update")).toBeUndefined();
    expect(fields.map(({ name }) => name)).toEqual(["orderId", "price", "note", "tags", "day", "token"]);
    expect(named("orderId")).toMatchObject({ isRequired: true, title: "Order" });
    expect(named("note")).toMatchObject({ isNullable: true, isRequired: false });
    expect(named("day")).toMatchObject({ kind: "datetime", isDay: true });
    expect(formFields(null, order, "create").map(({ name }) => name)).toEqual(["id", "title"]);
  });

  it("round nothing, and send only changed fields", () => {
    const price = "12345678901234567890.12";
    const { body, issues } = readDraft(fields, { price, note: null, orderId: "7", tags: ["x"], day: "2026-01-31" });
    expect(body).toEqual({ price, note: null, orderId: 7, tags: ["x"], day: "2026-01-31" });
    expect(issues.size).toBe(0);
    expect([...readDraft(fields, { orderId: "seven", price: "1e5" }).issues.keys()]).toEqual(["orderId", "price"]);
    const day = named("day");
    if (day === undefined) throw new Error("no field");
    expect(toInput(day, "2026-01-31T00:00:00.000Z")).toBe("2026-01-31");
  });
});

describe("C76 files in the studio", () => {
  const route = "/api/uploads/:fileType/:fileName";
  const origin = "https://shop.example/shop";

  it("are those that the service's own route serves, and nothing else", () => {
    expect(readStoredFile("/api/uploads/images/0a.PNG", route, origin)).toEqual({
      path: "/api/uploads/images/0a.PNG",
      isImage: true,
    });
    expect(readStoredFile(`${origin}/api/uploads/documents/a.pdf`, route, origin)).toEqual({
      path: "/api/uploads/documents/a.pdf",
      isImage: false,
    });
    for (const text of [
      "https://evil.example/api/uploads/images/a.png",
      "https://shop.example/shop.evil/api/uploads/images/a.png",
      "//evil.example/api/uploads/images/a.png",
      "/api/uploads/images/../../auth/logout",
      "/api/uploads/../tags/1.png",
      "/api/uploads/images/%2e%2e.png",
      "/api/uploads/images/a.png?x=1",
      "/api/uploads/images/a.png#x",
      "/api/uploads/images/.hidden.png",
      "/api/uploads/images",
      "/api/tags/1",
      "javascript:alert(1)//api/uploads/images/a.png",
      "data:image/png;base64,AAAA",
    ])
      expect(readStoredFile(text, route, origin), text).toBeUndefined();
    expect(pathnameIn({ pathname: "/a", url: "x" })).toBe("/a");
    expect([pathnameIn(null), pathnameIn("x"), pathnameIn({ pathname: 1 })]).toEqual([undefined, undefined, undefined]);
  });

  it("have inputs if the document accepts a form, also inside values, and turn the body into a form", () => {
    expect(fileFields(document, item, "create").map(({ name, isMany }) => [name, isMany])).toEqual([
      ["note", false],
      ["extra[scans]", true],
    ]);
    expect(fileFields(null, item, "create")).toEqual([]);
    const fields = rowFields(document, item, "create");
    expect(fields.filter(({ file }) => file !== undefined).map(({ name, file }) => [name, file])).toEqual([
      ["note", "one"],
      ["extra[scans]", "many"],
    ]);
    expect(formFields(document, item, "create").some(({ file }) => file !== undefined)).toBe(false);
    const file = new File(["x"], "a.png", { type: "image/png" });
    const plain = { note: null, price: "1" };
    expect(toSent(plain, fields)).toBe(plain);
    const form = toSent({ note: file, "extra[scans]": [file, file], tags: ["a", "b"], price: "1.50" }, fields);
    if (!(form instanceof FormData)) throw new Error("no form");
    expect(toParts(form)).toEqual([
      "note=@a.png",
      "extra[scans]=@a.png",
      "extra[scans]=@a.png",
      "tags[]=a",
      "tags[]=b",
      "price=1.50",
    ]);
    expect(() => toSent({ note: file, price: null }, fields)).toThrow("Price cannot be emptied together with a file");
    expect(toLiteral(form)).toBe("form");
  });
});

describe("C76 requests in the drawer", () => {
  it("are shell commands without passwords and tokens", () => {
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

  it("are source code without passwords and tokens", () => {
    expect(toLiteral({ name: "ada", password: "hush", profile: { resetToken: "hush" } })).toBe(
      '{ name: "ada", password: "…", profile: { resetToken: "…" } }',
    );
    expect(toLiteral({ where: { "a-b": [1, "x", null] }, sort: undefined })).toBe(
      '{ where: { "a-b": [1, "x", null] } }',
    );
  });
});
