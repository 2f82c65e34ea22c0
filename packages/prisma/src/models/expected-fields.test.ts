import { describe, expect, it } from "vitest";
import { readDataModel } from "../../test/kinds-models.js";
import { toModelsData } from "../generator/to-models-data.js";
import { type ExpectedField, expectedFieldIssues, isScalarOf, optionalTextOf, textOf } from "./expected-fields.js";
import type { Model } from "./model.js";
import { readModels } from "./read-models.js";

/** The model `Event` with these fields. */
function modelOf(fields: string, provider = "postgresql"): Model {
  const schema = `datasource db {\n  provider = "${provider}"\n}\nenum Kind {\n  A\n}\nmodel Event {\n  id Int @id @default(autoincrement())\n${fields}\n}\nmodel Other {\n  id Int @id\n  eventId Int?\n  event Event? @relation(fields: [eventId], references: [id])\n}`;
  const withOther = schema.replace("@default(autoincrement())\n", "@default(autoincrement())\n  others Other[]\n");
  const models = readModels(toModelsData(readDataModel([["schema.prisma", withOther]]), withOther));
  return models.get("Event") ?? expect.fail();
}

const dateTime: ExpectedField = { expected: "a DateTime", test: (field) => isScalarOf(field, "DateTime") };
const issuesOf = (
  fields: string,
  expected: Readonly<Record<string, ExpectedField>>,
  provider?: string,
): readonly string[] =>
  expectedFieldIssues(modelOf(fields, provider), expected, "the log").map(
    ({ where, message }) => `${where}: ${message}`,
  );

describe("the fields that a package requires of its model", () => {
  it("may be the only ones, and the others optional, lists, relations, or with a default", () => {
    const others = "  note String?\n  tags String[]\n  count Int @default(0)\n  changed DateTime @updatedAt";
    expect(issuesOf(`  at DateTime\n${others}`, { at: dateTime })).toEqual([]);
  });

  it("are reported if they are missing, with a similar name that is not expected itself", () => {
    expect(issuesOf("", { at: dateTime })).toEqual(["model Event: requires a field at, a DateTime."]);
    expect(issuesOf("  creatdAt DateTime?", { createdAt: dateTime })).toEqual([
      "model Event: requires a field createdAt, a DateTime. Did you mean creatdAt?",
    ]);
    expect(issuesOf("  createdAt DateTime", { createdAt: dateTime, createdA: dateTime })).toEqual([
      "model Event: requires a field createdA, a DateTime.",
    ]);
  });

  it.each(["String", "DateTime[]", "Kind @default(A)"])("are reported with another type: %s", (type) => {
    expect(issuesOf(`  at ${type}`, { at: dateTime })).toEqual([
      "field Event.at: must be a DateTime; the log uses it.",
    ]);
  });

  it("do not include others that are required without a default", () => {
    expect(
      issuesOf('  at DateTime\n  name String\n  kind Kind\n  place Unsupported("point")', { at: dateTime }),
    ).toEqual(
      ["name", "kind", "place"].map(
        (name) => `field Event.${name}: is required and has no default, so rows cannot be created.`,
      ),
    );
  });

  it.each<readonly [string, ExpectedField, boolean]>([
    ["String", textOf(20), true],
    ["String?", textOf(20), false],
    ["String[]", textOf(20), false],
    ["Int", textOf(20), false],
    ["Kind", textOf(20), false],
    ["String @db.VarChar(20)", textOf(20), true],
    ["String @db.VarChar(19)", textOf(20), false],
    ["String @db.Text", textOf(20), true],
    ["String?", optionalTextOf(20), true],
    ["String", optionalTextOf(20), false],
    ["Int?", optionalTextOf(20), false],
    ["String? @db.VarChar(20)", optionalTextOf(20), true],
    ["String? @db.VarChar(19)", optionalTextOf(20), false],
    ["String? @db.VarChar(19)", optionalTextOf(Number.POSITIVE_INFINITY), false],
    ["String?", optionalTextOf(Number.POSITIVE_INFINITY), true],
  ])("that are texts have enough characters: %s, %o is %s", (type, expected, isMet) => {
    const issues = issuesOf(`  text ${type}`, { text: expected });
    expect(issues).toEqual(isMet ? [] : [`field Event.text: must be ${expected.expected}; the log uses it.`]);
  });

  it("are described in the messages", () => {
    expect(textOf(20).expected).toBe("a String of at least 20 characters");
    expect(optionalTextOf(20).expected).toBe("a String? of at least 20 characters");
    expect(optionalTextOf(Number.POSITIVE_INFINITY).expected).toBe("a String? without a length");
  });

  it("are reported with the type of MySQL that fits", () => {
    const hint = " In MySQL a String has 191 characters: add @db.LongText.";
    expect(issuesOf("  text String @db.VarChar(100)", { text: textOf(500) }, "mysql")).toEqual([
      `field Event.text: must be a String of at least 500 characters; the log uses it.${hint}`,
    ]);
    expect(issuesOf("  at Int", { at: dateTime }, "mysql")).toEqual([
      "field Event.at: must be a DateTime; the log uses it.",
    ]);
  });
});
