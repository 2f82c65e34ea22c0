import fs from "node:fs";
import path from "node:path";
import { sourceFiles } from "./find-program.js";
import { findSchema } from "./find-schema.js";
import { InitError } from "./init-error.js";
import { installedVersion, type Manifest, rangeOf, readManifest } from "./manifest.js";
import type { InitPlan, PlannedChange, PlannedFile } from "./plan.js";
import { planProgram } from "./plan-program.js";
import { type PlannedSchema, planSchema } from "./plan-schema.js";
import { findExampleModel, planSecrets } from "./plan-secrets.js";
import { modelsOf } from "./schema-text.js";
import { configText, tsconfigText } from "./texts.js";
import { ownRange, versions } from "./versions.js";

const required = [
  ["@prisma/client", 7, "Prisma"],
  ["prisma", 7, "Prisma"],
  ["zod", 4, "Zod"],
] as const;

/** Whether a folder has a `package.json` and a Prisma schema, so that servicekit can be added to it. */
export function isExistingProject(directory: string): boolean {
  const root = path.resolve(directory);
  if (!fs.existsSync(path.join(root, "package.json"))) return false;
  try {
    return findSchema(root, readManifest(root)).length > 0;
  } catch (error) {
    if (error instanceof InitError) return false;
    throw error;
  }
}

/**
 * Plans what is added to a project; writes nothing.
 *
 * @param directory the folder with the `package.json` of the project
 * @throws {InitError} for a project without a `package.json` or a Prisma schema, another database than PostgreSQL
 * and SQLite, CommonJS, and older versions of Prisma and Zod
 */
export function planInit(directory: string): InitPlan {
  const root = path.resolve(directory);
  const manifest = readManifest(root);
  const schemaFiles = findSchema(root, manifest);
  const [first] = schemaFiles;
  if (first === undefined) {
    throw new InitError(
      `${root} has no Prisma schema. Write prisma/schema.prisma, or run "npx service introspect" for an existing database.`,
    );
  }
  checkVersions(root, manifest);
  if (manifest.type !== "module") {
    throw new InitError(`package.json: servicekit needs an ES module project. Set "type": "module".`);
  }
  const secrets = planSecrets(schemaFiles);
  const schema = planSchema(secrets.files);
  const model = findExampleModel(
    schemaFiles,
    schemaFiles.flatMap(({ text }) => modelsOf(text)),
  );
  const program = planProgram(sourceFiles(root), schema, model);
  const exists = (place: string): boolean => fs.existsSync(path.join(root, place));
  const hasConfig = ["ts", "mts", "cts", "js", "mjs", "cjs", "json"].some((extension) =>
    exists(`service.config.${extension}`),
  );
  return {
    root,
    files: present<PlannedFile>([
      hasConfig ? undefined : { place: "service.config.ts", text: configText },
      exists("tsconfig.json") ? undefined : { place: "tsconfig.json", text: tsconfigText },
      program.file,
    ]),
    changes: present([...joinChanges(secrets.changes, schema.change), program.change, planIgnored(root, schema)]),
    packages: planPackages(root, manifest, schema),
    notes: [...secrets.notes, ...program.notes, ...databaseNotes(root)],
  };
}

/** The changes with one more, which may be of the same file and contains the text of the earlier one then. */
const joinChanges = (changes: readonly PlannedChange[], next: PlannedChange | undefined): readonly PlannedChange[] => {
  if (next === undefined) return changes;
  const previous = changes.find(({ place }) => place === next.place);
  const joined = { ...next, added: [...(previous?.added ?? []), ...next.added] };
  return [joined, ...changes.filter((change) => change !== previous)];
};

const present = <Value>(values: readonly (Value | undefined)[]): Value[] =>
  values.filter((value) => value !== undefined);

function checkVersions(root: string, manifest: Manifest): void {
  for (const [name, major, product] of required) {
    const range = rangeOf(manifest, name);
    const version = range === undefined ? undefined : (installedVersion(root, name) ?? range);
    const [, found] = /^\D{0,2}(\d+)/.exec(version ?? "") ?? [];
    if (found === undefined || Number(found) === major) continue;
    throw new InitError(
      `package.json: servicekit requires ${product} ${major}, and the project has ${name} ${version}. Upgrade it first.`,
    );
  }
}

/** Generated files and the data of the development database are not committed. */
function planIgnored(root: string, { outputs }: PlannedSchema): PlannedChange | undefined {
  const file = path.join(root, ".gitignore");
  if (!fs.existsSync(file)) return undefined;
  const text = fs.readFileSync(file, "utf8");
  const line = text.includes("\r\n") ? "\r\n" : "\n";
  const ignored = text.split(/\r?\n/).map((one) => one.trim().replaceAll(/^\/|\/$/g, ""));
  const isIgnored = (place: string): boolean =>
    ignored.some((one) => one !== "" && (`/${place}`.includes(`/${one}/`) || place === `${one}/`));
  const added = [...outputs, ".data/"].filter((place) => !isIgnored(place));
  if (added.length === 0) return undefined;
  const start = text === "" || text.endsWith("\n") ? "" : line;
  return { place: ".gitignore", added, text: text + start + added.map((one) => one + line).join("") };
}

function planPackages(
  root: string,
  manifest: Manifest,
  { needsPrisma, isSqlite }: PlannedSchema,
): InitPlan["packages"] {
  const client = versions["@prisma/client"];
  const known = installedVersion(root, "@prisma/client") ?? rangeOf(manifest, "@prisma/client") ?? client;
  // Such as "catalog:" or "*", which the package manager resolves.
  const clientVersion = /^\D?\d/.test(known) ? known : client;
  const isOther = clientVersion.replace(/^\D/, "") !== client;
  const missing = (wanted: Readonly<Record<string, string>>): string[] =>
    Object.entries(wanted).flatMap(([name, range]) =>
      rangeOf(manifest, name) === undefined ? `${name}@${range}` : [],
    );
  return {
    dependencies: missing({
      "@prisma/client": client,
      ...(isSqlite ? { "@prisma/adapter-libsql": `^${versions["@prisma/adapter-libsql"]}` } : {}),
      "@servicekit/dev-database": ownRange(),
      "@servicekit/service": ownRange(),
      zod: versions.zod,
    }),
    devDependencies: missing({
      "@types/node": versions["@types/node"],
      ...(needsPrisma || isOther ? { prisma: clientVersion } : {}),
      typescript: versions.typescript,
    }),
  };
}

function databaseNotes(root: string): string[] {
  const isSet = [".env", ".env.local"].some((name) => {
    const file = path.join(root, name);
    return fs.existsSync(file) && /^\s*(?:export\s+)?DATABASE_URL\s*=/m.test(fs.readFileSync(file, "utf8"));
  });
  return isSet || process.env.DATABASE_URL
    ? []
    : ['Set DATABASE_URL in .env to use an existing database. Without it "service dev" starts an empty one.'];
}
