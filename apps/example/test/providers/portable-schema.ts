import fs from "node:fs";
import path from "node:path";
import { type Fixture, generateFixtures } from "../../../../scripts/test/generate-fixtures.js";

import type { TestedProvider } from "../../../../scripts/test/provider-database.js";

/** Column types of a database whose default types are too short, by the end of the line of a field. */
const ownTypes: Readonly<Partial<Record<TestedProvider, readonly (readonly [RegExp, string])[]>>> = {
  // A String has 191 characters.
  mysql: [[/^ +(?:description|staffNote|note|body|response)\s+String\??/gm, "@db.LongText"]],
};

/** The fields of the shop that are `Decimal` in PostgreSQL; in a portable schema an `Int` in hundredths. */
export const amounts: ReadonlySet<string> = new Set([
  ...["price", "purchasePrice", "percent", "total", "unitPrice", "rate"],
]);

/** The lists of `AuthKey`, which are required where the database has lists. */
const listsOfKeys: ReadonlySet<string> = new Set(["roles", "permissions", "addresses"]);

/** The schema of the shop with the types that every provider has. */
function portableSchema(text: string, provider: TestedProvider): string {
  const portable = text
    .replace('provider = "postgresql"', `provider = "${provider}"`)
    .replace('"../src/generated/prisma"', '"client"')
    // Search by PostgreSQL.
    .replace(/^ *\/\/\/ The words of the search.*\n.*searchVector.*\n/m, "")
    // The change log and webhooks.
    .replaceAll(/^\/\/\/.*\nmodel (?:Change|Webhook)\w* \{[^}]*^\}\n/gm, "")
    .replace(/^.*@@index\(\[searchVector\].*\n/m, "")
    .replaceAll(/ @db\.\w+(\(.*?\))?/g, "")
    .replaceAll(/\bDecimal\b(?=\??\s)/g, "Int")
    .replaceAll(/BigInt( +@id @default\(autoincrement\(\)\))/g, "Int$1")
    .replaceAll(/SalesChannel\[\] +@default\(\[WEB\]\)/g, 'Json @default("[\\"WEB\\"]")')
    .replaceAll(/^( +(\w+) +)String\[\](?: +@default\(\[\]\))?/gm, (line, start: string, name: string) =>
      provider === "postgresql" && listsOfKeys.has(name) ? line : `${start}Json @default("[]")`,
    );
  return (ownTypes[provider] ?? []).reduce((schema, [field, type]) => schema.replace(field, `$& ${type}`), portable);
}

/** The schema, the client and the models of the shop for a provider, generated if the schema of the shop has changed. */
export async function generatePortableShop(provider: TestedProvider): Promise<{ schema: string; output: string }> {
  const source = path.join(import.meta.dirname, "../../prisma/schema.prisma");
  const output = path.join(import.meta.dirname, `../generated/shop-${provider}`);
  const written = [["schema.prisma", portableSchema(fs.readFileSync(source, "utf8"), provider)]] as const;
  const schema = path.join(output, "schema.prisma");
  const fixture: Fixture = { label: `the shop for ${provider}`, schema, files: written, output, written };
  await generateFixtures([fixture]);
  return { schema, output };
}
