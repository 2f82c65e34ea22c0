import fs from "node:fs";
import path from "node:path";
import { generated, plain, table } from "./markdown.js";

const root = path.join(import.meta.dirname, "../..");

/** The test files of a provider, by what their sources contain. */
const runsOn: Readonly<Record<string, RegExp>> = {
  PostgreSQL: /postgresUrl|createShopDatabase|startShop|startAccounts|startOpenShop|open[A-Z]\w+\(|databaseUrl/,
  SQLite: /provider-database|sqlite-database|portable-schema|sqlite-adapter|database: "sqlite"/,
  MariaDB: /mysql-database|\bproviders\b/,
};

/** Why an entry of the contract does not hold on SQLite, or holds without a test. */
const limits: Readonly<Record<string, string>> = {
  C67: "PgBouncer is a pooler of PostgreSQL.",
  C71: "Prisma Client runs every query.",
  C77: "Rejects the other providers.",
  C91: "A trigger with `RAISE` is 422 or 409; SQLite has no other codes.",
  C92: "Has no infinite dates, years BC and microseconds.",
  C103: "No index for words: a startup error.",
  C106: "No numbers of transactions: a startup error.",
  C107: "Needs C106.",
  C108: "Needs C106.",
  C109: "Queues are stored in PostgreSQL.",
  C110: "Needs C106.",
  C111: "Needs C106.",
  C112: "Needs C106.",
  C115: "Needs C106.",
};

/** The entries of the contract with the beginning of their text. */
function readEntries(): ReadonlyMap<string, string> {
  const text = fs.readFileSync(path.join(root, "docs/contract.md"), "utf8");
  const found = new Map<string, string>();
  for (const [, id = "", sentence = ""] of text.matchAll(/^- \*\*(C\d+)\*\* (.*)$/gm))
    if (!found.has(id)) found.set(id, beginning(sentence));
  return new Map([...found].sort(([one], [other]) => Number(one.slice(1)) - Number(other.slice(1))));
}

/** The first words of a text, without code and links that are cut. */
function beginning(text: string): string {
  const words = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");
  if (words.length <= 60) return words;
  return `${words.slice(0, 60).replace(/\s+\S*$/, "")} …`;
}

/** The sources of all test files, without comments. */
function readTests(): string[] {
  const packages = path.join(root, "packages");
  const folders = [
    ...fs.readdirSync(packages).flatMap((name) => ["src", "test"].map((part) => path.join(packages, name, part))),
    ...fs.readdirSync(path.join(root, "apps")).map((name) => path.join(root, "apps", name, "test")),
    path.join(root, "scripts"),
  ];
  return folders
    .filter((folder) => fs.existsSync(folder))
    .flatMap((folder) =>
      fs
        .readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".test.ts") && !name.includes("generated"))
        .map((name) =>
          fs.readFileSync(path.join(folder, name), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ""),
        ),
    );
}

/** docs/reference/contract-coverage.md, from the contract and the titles of the tests. */
export function contractCoveragePage(): string {
  const entries = readEntries();
  const tests = readTests().map((text) => ({ ids: new Set(text.match(/\bC\d+\b/g) ?? []), text }));
  const unknown = Object.keys(limits).filter((id) => !entries.has(id));
  if (unknown.length > 0) throw new Error(`The contract has no entries ${unknown.join(", ")}.`);
  const patterns = Object.values(runsOn);
  const rows = [...entries].map(([id, text]) => {
    const named = tests.filter(({ ids }) => ids.has(id));
    const areOn = patterns.map((pattern) => named.some((one) => pattern.test(one.text)));
    const isAlone = named.some((one) => !patterns.some((pattern) => pattern.test(one.text)));
    const cells = [...areOn, isAlone].map((isTested) => (isTested ? "yes" : "–"));
    return [`[${id}](../contract.md)`, plain(text), ...cells, limits[id] ?? ""];
  });
  return `# Contract by database

${generated}

The databases on which tests verify each entry of the [contract](../contract.md), and whether some need none. An entry without a test and a
limit of SQLite does not depend on the database, or is tested on PostgreSQL only. [Databases](../guides/databases.md) lists what each database
offers.

${table(["entry", "begins with", ...Object.keys(runsOn), "no database", "limit of SQLite"], rows)}
`;
}
