import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type DataModel, toModelsData, writeModelsModule } from "../../packages/prisma/src/generator/index.js";
import { generateClient } from "../generate-client.js";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const ormFolder = path.join(root, "packages/prisma");
const requireFromOrm = createRequire(path.join(ormFolder, "package.json"));

/** A schema for tests: `packages/<package>/test/fixtures/<name>/schema.prisma`, or a folder `schema` of such files. */
export interface Fixture {
  /** From the root, for messages. */
  readonly label: string;
  /** The file or folder that Prisma is given. */
  readonly schema: string;
  readonly files: readonly (readonly [file: string, text: string])[];
  /** `packages/<package>/test/generated/<name>` */
  readonly output: string;
}

/** What the files in an output folder were made from. */
interface Stamp {
  readonly client?: string;
  readonly models?: string;
}

/**
 * Generates the Prisma client and the models module of every fixture whose schema has changed since the last time. The
 * models module is made by the sources of `@servicekit/prisma`, so that nothing has to be built. Several test runs may
 * start at once: one of them generates, the others wait.
 */
export async function generateFixtures(fixtures: readonly Fixture[] = findNamedFixtures()): Promise<void> {
  if (findOutdated(fixtures).length === 0) return;
  await withLock(path.join(root, "node_modules/.fixtures-lock"), async () => {
    for (const outdated of findOutdated(fixtures)) await generate(outdated);
  });
}

/** A fixture whose schema has changed since the last time, or was never generated. */
interface Outdated {
  readonly fixture: Fixture;
  readonly found: Stamp;
  readonly wanted: Stamp;
}

async function generate({ fixture, found, wanted }: Outdated): Promise<void> {
  mkdirSync(fixture.output, { recursive: true });
  if (found.client !== wanted.client) {
    await generateClient({ schema: fixture.schema, packageFolder: ormFolder, generators: ["client"] });
  }
  writeFileSync(path.join(fixture.output, "models.ts"), modelsModule(fixture.files));
  writeFileSync(stampFile(fixture.output), JSON.stringify(wanted));
  console.log(`generated ${fixture.label}`);
}

function findOutdated(fixtures: readonly Fixture[]): Outdated[] {
  const { version } = requireFromOrm("@prisma/client/package.json") as { version: string };
  const generatorHash = hashOf(sourcesOfGenerator());
  return fixtures.flatMap((fixture) => {
    const schemaHash = hashOf([...fixture.files.flat(), version]);
    const wanted = { client: schemaHash, models: hashOf([schemaHash, generatorHash]) };
    const found = readStamp(fixture.output);
    return found.client === wanted.client && found.models === wanted.models ? [] : [{ fixture, found, wanted }];
  });
}

/** Does the work while no other process does; the lock of one that was killed is broken after a minute. */
async function withLock(folder: string, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      mkdirSync(folder);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > 60_000) rmSync(folder, { recursive: true, force: true });
      else await sleep(100);
    }
  }
  try {
    await work();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The fixtures of the packages that `TEST_FIXTURES` names, separated by commas; of all without it. */
function findNamedFixtures(): Fixture[] {
  const names = process.env.TEST_FIXTURES?.split(",");
  const folders = foldersIn(path.join(root, "packages"));
  return findFixtures(folders.filter((folder) => names?.includes(path.basename(folder)) ?? true));
}

function findFixtures(folders: readonly string[]): Fixture[] {
  return folders.flatMap((folder) =>
    foldersIn(path.join(folder, "test/fixtures")).flatMap((fixture) => {
      const single = path.join(fixture, "schema.prisma");
      const several = path.join(fixture, "schema");
      const schema = existsSync(single) ? single : several;
      const paths = existsSync(single) ? [single] : filesIn(several, ".prisma");
      if (paths.length === 0) return [];
      return {
        label: path.relative(root, fixture),
        schema,
        files: paths.map((file) => [path.relative(fixture, file), readFileSync(file, "utf8")] as const),
        output: path.join(folder, "test/generated", path.basename(fixture)),
      };
    }),
  );
}

function modelsModule(files: Fixture["files"]): string {
  const { get_dmmf: getDmmf } = requireFromOrm("@prisma/prisma-schema-wasm") as { get_dmmf(input: string): string };
  const dataModel = JSON.parse(getDmmf(JSON.stringify({ prismaSchema: files }))) as DataModel;
  return writeModelsModule(toModelsData(dataModel, files.map(([, text]) => text).join("\n")));
}

function sourcesOfGenerator(): string[] {
  return filesIn(path.join(ormFolder, "src/generator"), ".ts").map((file) => readFileSync(file, "utf8"));
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return entries.map((entry) => path.join(folder, entry.name)).sort();
}

function filesIn(folder: string, ending: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(ending));
  return names.sort().map((name) => path.join(folder, name));
}

function stampFile(output: string): string {
  return path.join(output, ".stamp.json");
}

function readStamp(output: string): Stamp {
  const file = stampFile(output);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Stamp) : {};
}

function hashOf(parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex");
}
