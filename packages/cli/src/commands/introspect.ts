import fs from "node:fs";
import path from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { commandError } from "../command-error.js";
import { loadDatabaseLibrary } from "../database/library.js";
import { addHelp } from "../help.js";
import { environmentOf, findProject } from "../project/project.js";

interface IntrospectOptions {
  readonly schemas?: readonly string[];
  readonly force: boolean;
}

const place = "service introspect";

function readNames(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (!names.includes("")) return names;
  throw new InvalidArgumentError("Expected names separated by commas, such as public,auth.");
}

/** `service introspect`: the Prisma schema of an existing database. */
export function addIntrospect(program: Command): void {
  addHelp(program.command("introspect"), {
    notes: `It reads the database of DATABASE_URL and changes nothing in it. Afterwards run npx service init, which adds the generators to the schema.
Tables without an id or a unique index have no routes; they are listed as warnings.`,
    examples: ["service introspect", "service introspect --schemas public,auth", "service introspect --force"],
  })
    .description("write prisma/schema.prisma from the tables of an existing database")
    .option("--schemas <names>", "schemas of the database, separated by commas; default: public", readNames)
    .option("-f, --force", "replace an existing schema file", false)
    .action(introspect);
}

async function introspect({ schemas, force }: IntrospectOptions): Promise<void> {
  const project = await findProject();
  const file = project.schema ?? path.join(project.root, "prisma", "schema.prisma");
  const shown = path.relative(process.cwd(), file);
  if (fs.existsSync(file)) {
    if (fs.statSync(file).isDirectory())
      throw commandError(shown, "The project has a folder of schema files, which is not replaced. Move it first.");
    if (!force) throw commandError(shown, "The project already has a schema. Use --force to replace it.");
  }
  const { DATABASE_URL: url = "" } = await environmentOf(project);
  if (url === "") throw commandError(place, "DATABASE_URL is not set. Set it to the URL of the existing database.");
  const library = await loadDatabaseLibrary(place);
  try {
    const { schema, warnings } = await library.introspectDatabase(url, schemas === undefined ? {} : { schemas });
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, schema);
    if (warnings !== undefined) console.error(`${warnings}\n`);
    const count = schema.match(/^model /gm)?.length ?? 0;
    console.log(`Wrote ${shown}: ${count} model${count === 1 ? "" : "s"}.`);
  } catch (error) {
    if (error instanceof library.MigrationError || error instanceof TypeError) throw commandError(place, error.message);
    throw error;
  }
}
