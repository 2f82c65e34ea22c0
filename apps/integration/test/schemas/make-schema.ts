import { makeRandom } from "../../../../scripts/test/random-draw.js";
import { below, type Random } from "./valid-values.js";

interface KeyPart {
  readonly name: string;
  readonly type: string;
  readonly attributes: string;
}

interface Draft {
  readonly name: string;
  readonly lines: string[];
  readonly key: readonly KeyPart[];
}

/** The text of a schema with this many models with random ids, columns and relations: the same for the same seed. */
export function makeSchema(seed: number, count: number): string {
  const random = makeRandom(seed);
  const drafts: Draft[] = [];
  for (let index = 0; index < count; index++) {
    const draft = makeDraft(modelName(index), random);
    addColumns(draft, random);
    for (let number = below(random, 4); number > 0 && index > 0; number--) {
      relate(draft, pick(random, drafts), `r${index}_${number}`, random);
    }
    if (random() < 0.2) relateToItself(draft, `self${index}`);
    const other = drafts.length === 0 ? undefined : pick(random, drafts);
    if (random() < 0.15 && other !== undefined && isSingle(draft) && isSingle(other))
      relateMany(draft, other, `m${index}`);
    drafts.push(draft);
  }
  const models = drafts.map(({ name, lines }) => `model ${name} {\n${lines.map((line) => `  ${line}\n`).join("")}}\n`);
  return `generator client {
  provider = "prisma-client"
  output   = "./client"
}

datasource db {
  provider = "postgresql"
}

enum Grade {
  LOW
  MIDDLE @map("in between")
  HIGH
}

${models.join("\n")}`;
}

const colors = ["Red", "Green", "Blue", "White", "Black", "Grey", "Pink", "Brown", "Amber", "Violet"];
const things = ["Table", "Box", "Leaf", "Quiz", "City", "Key", "Bus", "Hero", "Wolf", "Index"];
const modelName = (index: number): string =>
  `${colors[index % colors.length]}${things[Math.floor(index / colors.length) % things.length]}`;

const pick = <T>(random: Random, items: readonly T[]): T => items[below(random, items.length)] as T;
const isSingle = ({ key, lines }: Draft): boolean => key.length === 1 && lines[0]?.includes("@id") === true;

function makeDraft(name: string, random: Random): Draft {
  const single = (type: string, more: string, attributes = ""): Draft => ({
    name,
    lines: [`id ${type} ${more} ${attributes}`],
    key: [{ name: "id", type, attributes }],
  });
  const composite = (parts: readonly KeyPart[], block: string): Draft => ({
    name,
    lines: [...parts.map((part) => `${part.name} ${part.type} ${part.attributes}`), block],
    key: parts,
  });
  const parts: readonly KeyPart[] = [
    { name: "part", type: "Int", attributes: "" },
    { name: "other", type: "String", attributes: "@db.VarChar(30)" },
  ];
  switch (below(random, 11)) {
    case 0:
      return single("BigInt", "@id @default(autoincrement())");
    case 1:
      return single("String", "@id @default(uuid())", "@db.Uuid");
    case 2:
      return single("String", "@id @default(cuid())");
    case 3:
      return single("String", "@id", "@db.VarChar(30)");
    case 4:
      return single("Int", "@id");
    case 5:
      return single("DateTime", "@id", "@db.Timestamptz(3)");
    case 6:
      return single("Decimal", "@id", "@db.Decimal(12, 3)");
    case 7:
      return composite(parts, "@@id([part, other])");
    case 8:
      return composite(parts, `@@unique([other, part], name: "both")`);
    case 9:
      return { ...single("String", "@unique"), key: [{ name: "id", type: "String", attributes: "" }] };
    default:
      return single("Int", "@id @default(autoincrement())");
  }
}

const columns = [
  "String",
  "String @db.VarChar(12)",
  "String @db.Char(4)",
  "String @db.Uuid",
  "String @db.Inet",
  "Int",
  "Int @db.SmallInt",
  "BigInt",
  "Float",
  "Float @db.Real",
  "Decimal",
  "Decimal @db.Decimal(9, 2)",
  "Boolean",
  "DateTime",
  "DateTime @db.Date",
  "DateTime @db.Timestamptz(0)",
  "Json",
  "Bytes",
  "Grade",
] as const;

function addColumns({ lines }: Draft, random: Random): void {
  const count = 2 + below(random, 7);
  for (let index = 0; index < count; index++) {
    const [type = "", ...native] = pick(random, columns).split(" ");
    const marker = pick(random, ["", "", "?", "?", "[]"]);
    const map = random() < 0.2 ? `@map("column ${index}")` : "";
    const unique = random() < 0.1 && ["String", "BigInt"].includes(type) && native.length === 0 && marker !== "[]";
    lines.push(`field${index} ${type}${marker} ${native.join(" ")} ${unique ? "@unique" : ""} ${map}`);
  }
  if (random() < 0.3) lines.push("createdAt DateTime @default(now())", "updatedAt DateTime @updatedAt");
  if (random() < 0.2) lines.push(`spot Unsupported("point")?`);
}

/** Foreign keys of one model to the key of another, with a list at the other end. */
function relate(from: Draft, to: Draft, relation: string, random: Random): void {
  const isRequired = random() < 0.4;
  const action = pick(random, isRequired ? ["Cascade", "Restrict", "NoAction"] : ["Cascade", "SetNull", "Restrict"]);
  const names = to.key.map(({ name }) => `${relation}_${name}`);
  const isUnique = random() < 0.2;
  for (const [index, { type, attributes }] of to.key.entries()) {
    const unique = isUnique && names.length === 1 ? "@unique" : "";
    from.lines.push(`${names[index]} ${type}${isRequired ? "" : "?"} ${attributes} ${unique}`);
  }
  if (isUnique && names.length > 1) from.lines.push(`@@unique([${names.join(", ")}])`);
  const references = to.key.map(({ name }) => name).join(", ");
  from.lines.push(
    `${relation} ${to.name}${isRequired ? "" : "?"} @relation("${relation}", fields: [${names.join(", ")}], references: [${references}], onDelete: ${action})`,
  );
  to.lines.push(`${relation}_from ${from.name}${isUnique ? "?" : "[]"} @relation("${relation}")`);
}

function relateToItself(draft: Draft, relation: string): void {
  const names = draft.key.map(({ name }) => `${relation}_${name}`);
  for (const [index, { type, attributes }] of draft.key.entries())
    draft.lines.push(`${names[index]} ${type}? ${attributes}`);
  const references = draft.key.map(({ name }) => name).join(", ");
  draft.lines.push(
    `${relation} ${draft.name}? @relation("${relation}", fields: [${names.join(", ")}], references: [${references}], onDelete: NoAction, onUpdate: NoAction)`,
    `${relation}_from ${draft.name}[] @relation("${relation}")`,
  );
}

function relateMany(one: Draft, other: Draft, relation: string): void {
  one.lines.push(`${relation}_a ${other.name}[] @relation("${relation}")`);
  other.lines.push(`${relation}_b ${one.name}[] @relation("${relation}")`);
}
