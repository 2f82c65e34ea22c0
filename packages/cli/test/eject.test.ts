import fs from "node:fs";
import path from "node:path";
import type { Model } from "@servicekit/prisma";
import { describe, expect, it } from "vitest";
import { closeOperation, mountRouter } from "../src/eject/close-operation.js";
import type { Ejected } from "../src/eject/ejected.js";
import { sampleRow } from "../src/eject/sample-rows.js";
import { type Candidate, whyNot } from "../src/eject/why-not.js";
import { modelOf, models } from "./models.js";
import { makeFolder } from "./temporary-folder.js";

const ejected = { model: modelOf("Note"), operation: "findMany" } as unknown as Ejected;
const module = "src/modules/note/note.model.ts";

describe("C73 the generated route of an ejected operation", () => {
  it("C73 is turned off in a new module", () => {
    const root = makeFolder();
    expect(closeOperation(root, ejected, false)).toEqual({
      file: path.normalize(module),
      text: expect.stringContaining("operations: { findMany: false }"),
    });
    expect(closeOperation(root, ejected, false).text).not.toContain("reachable");
    expect(closeOperation(root, ejected, true).text).toMatch(/findMany: false.*\n {2}reachable: true/);
  });

  it.each([
    [
      "export default {\n  hidden: [],\n};\n",
      /^export default \{\n {2}operations: \{ findMany: false \}.*\n {2}hidden/,
    ],
    ["export default defineModel({\n});\n", /defineModel\(\{\n {2}operations: \{ findMany: false \}/],
    ["export default {\n  operations: { a: false },\n};\n", /^ {2}operations: \{ findMany: false, a: false \},$/m],
  ])("C73 is turned off in the module %j", (text, expected) => {
    const root = makeFolder({ [module]: text });
    expect(closeOperation(root, ejected, false).text).toMatch(expected);
    expect(closeOperation(root, ejected, false).text).not.toContain("reachable");
    expect(closeOperation(root, ejected, true).text).toContain("reachable: true");
  });

  it("C73 is not turned off in a module of another form", () => {
    const root = makeFolder({ [module]: "const model = {};\nexport default model;\n" });
    expect(() => closeOperation(root, ejected, false)).toThrow("operations: { findMany: false }");
  });
});

describe("C73 the router of an ejected operation", () => {
  const app = (use: string): string => `import a from "a";\nimport b from "b";\n\nservice({ ${use} });\n`;
  const line = 'import { noteFindMany } from "./routes/note-find-many.js";\n';

  it.each([
    ["use: []", "use: [noteFindMany]"],
    ["use: [other]", "use: [noteFindMany, other]"],
    ["use: [\n  other,\n]", "use: [noteFindMany,\n  other,\n]"],
  ])("C73 is imported after the last import, and mounted first in %j", (use, expected) => {
    const root = makeFolder({ "src/app.ts": app(use) });
    expect(mountRouter(root, ejected)).toEqual({
      file: "src/app.ts",
      text: `import a from "a";\nimport b from "b";\n${line}\nservice({ ${expected} });\n`,
    });
  });

  it("C73 is mounted in src/main.ts when src/app.ts has no list, and nowhere without one", () => {
    const root = makeFolder({ "src/app.ts": app(""), "src/main.ts": app("use: []") });
    expect(mountRouter(root, ejected)?.file).toBe("src/main.ts");
    fs.writeFileSync(path.join(root, "src/main.ts"), "service({ use: [] });\n");
    expect(mountRouter(root, ejected)).toBeUndefined();
    expect(mountRouter(makeFolder(), ejected)).toBeUndefined();
  });
});

describe("C73 what stays generated", () => {
  const plain: Candidate = {
    ...{ model: modelOf("Note"), operation: "findMany", hasRowRule: false, ruled: new Set(), modules: [] },
    ...{ hooks: "", hasDtos: false, hasAccounts: false },
  };

  it("C73 is nothing of a plain model", () => {
    for (const operation of ["findMany", "findOne", "createOne", "updateOne", "deleteOne"] as const)
      expect(whyNot({ ...plain, operation, ruled: new Set(["Note"]), hasAccounts: true })).toBeUndefined();
    expect(whyNot({ ...plain, operation: "findMany", hasDtos: true, modules: [{ uploads: {} }] })).toBeUndefined();
    expect(
      whyNot({ ...plain, hooks: "export const beforeFindManyOthers = 1; const afterFindMany = 2;" }),
    ).toBeUndefined();
    expect(whyNot({ ...plain, model: modelOf("Price"), operation: "deleteOne" })).toBeUndefined();
    expect(whyNot({ ...plain, model: modelOf("Pair") })).toBeUndefined();
    expect(whyNot({ ...plain, model: modelOf("User"), operation: "createOne" })).toBeUndefined();
  });

  it.each<readonly [string, Partial<Candidate>]>([
    ["auth.where", { hasRowRule: true }],
    ["auth.fields", { modules: [{ auth: { fields: {} } }] }],
    ["beforeFindMany", { hooks: "export const beforeFindMany = 1;" }],
    ["afterFindMany", { hooks: "export async function afterFindMany() {}" }],
    ["afterFindMany", { modules: [{ hooks: { afterFindMany: 1 } }] }],
    ["soft delete", { modules: [{ softDelete: true }] }],
    ["query", { modules: [{ query: {} }] }],
    ["include", { modules: [{}, { include: {} }] }],
    ["computed fields", { model: { ...plain.model, fields: [{ kind: "computed" } as Model["fields"][number]] } }],
    ["id of one field", { model: modelOf("Pair"), operation: "findOne" }],
    ["amount is a Decimal", { model: modelOf("Price") }],
    ["rows of User", { operation: "createOne", ruled: new Set(["User"]) }],
    ["rows of User", { operation: "updateOne", ruled: new Set(["User"]) }],
    ["DTO", { operation: "createOne", hasDtos: true }],
    ["uploads", { operation: "updateOne", modules: [{ uploads: {} }] }],
    ["passwords", { model: modelOf("User"), operation: "updateOne", hasAccounts: true }],
  ])("C73 because of %s", (reason, given) => {
    expect(whyNot({ ...plain, ...given })).toContain(reason);
  });
});

describe("C73 a sample row", () => {
  it("C73 has a value for each required field, after the rows that it refers to", () => {
    expect(sampleRow(modelOf("Note"), models, true)).toEqual({
      statements: [
        'const user = await client.user.create({ data: { email: `email${n}@example.com`, password: `password ${n}`, role: "CLERK" } });',
      ],
      members: [
        "userId: user.id",
        "text: `text ${n}`",
        "isDone: n % 2 === 0",
        "at: new Date(n * 1000).toISOString()",
        'ref: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`',
      ],
    });
    expect(sampleRow(modelOf("Note"), models, false)?.members).toContain("at: new Date(n * 1000)");
  });

  it("C73 has the forms of JSON in a body, and those of Prisma otherwise", () => {
    expect(sampleRow(modelOf("Price"), models, true)?.members).toEqual(["amount: n", "size: String(n)", 'raw: "bg=="']);
    expect(sampleRow(modelOf("Price"), models, false)?.members).toEqual([
      ...["amount: n", "size: BigInt(n)", 'raw: Buffer.from("n")'],
    ]);
  });
});
