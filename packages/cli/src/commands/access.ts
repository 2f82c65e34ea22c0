import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { commandError } from "../command-error.js";
import { addHelp } from "../help.js";
import { formatMarkdown, formatTable, type Table } from "../terminal/table.js";
import type { CommandResult, InspectedService, WithService } from "./inspected-service.js";
import type { Entrance, ListedRoute } from "./listed-routes.js";

interface Options {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly check?: string;
}

/** `service access`: the access rights by role, to read, commit and compare. */
export function addAccess(program: Command, withService: WithService): void {
  addHelp(program.command("access"), {
    notes: `"yes" is access to all rows, "rows" access to the rows that a row rule allows. In dynamic mode, where roles are rows of the
database, the columns show the required permission.`,
    failure: "the access rules differ from the file of --check; or an error",
    examples: ["service access", "service access --markdown > access.md", "service access --check access.md"],
  })
    .description("print the access rules: a row per route, a column per role")
    .option("--json", "print JSON")
    .option("--markdown", "print a Markdown table")
    .option("--check <file>", "compare the access rules with a committed .json or .md file")
    .action(({ json = false, markdown = false, check }: Options) =>
      withService(async (service) => {
        const matrix = await accessMatrix(service);
        if (check !== undefined) return compare(check, matrix);
        if (json) return { text: formatJson(matrix) };
        return { text: markdown ? formatMarkdown(matrix) : formatTable(matrix) };
      }),
    );
}

/** One row per route, one column per role. */
async function accessMatrix(service: InspectedService): Promise<Table> {
  const { listRoutes } = await import("./listed-routes.js");
  const routes = [...listRoutes(service)]
    .flatMap((route): readonly MatrixRow[] => [route, ...(route.rights ?? []).map((right) => ({ ...route, ...right }))])
    .sort((one, other) => compareTexts(nameOf(one), nameOf(other)));
  const isDynamic = service.config.authentication?.mode === "dynamic";
  const roles = isDynamic ? [] : [...new Set([...rolesOfUsers(service), ...routes.flatMap(rolesOf)])].sort();
  const named = roles.filter((role) => role !== "*");
  const heads = ["route", "everyone", "signed in", ...(isDynamic ? ["permission"] : named), "superuser"];
  const rows = routes.map((route) => {
    const { entrance, hasRowRule } = route;
    const cell = (may: boolean): string => (may ? (hasRowRule ? "rows" : "yes") : "–");
    const isOpen = entrance.kind === "everyone" || entrance.kind === "undeclared";
    const isSignedIn = isOpen || entrance.kind === "signed in" || rolesOf(route).includes("*");
    const permission =
      entrance.kind === "right" ? `${entrance.resource}: ${entrance.action}${hasRowRule ? " (rows)" : ""}` : "";
    const ofRoles = named.map((role) => cell(isSignedIn || rolesOf(route).includes(role)));
    return [nameOf(route), cell(isOpen), cell(isSignedIn), ...(isDynamic ? [permission] : ofRoles), "yes"];
  });
  return { heads, rows };
}

/** A route, or a right that a parameter of it requires. */
interface MatrixRow extends ListedRoute {
  /** The name of the right. */
  readonly name?: string;
}

const nameOf = ({ method, path, name }: MatrixRow): string =>
  name === undefined ? `${path} ${method}` : `${path} ${method} (${name})`;

const rolesOf = ({ entrance }: { readonly entrance: Entrance }): readonly string[] =>
  entrance.kind === "right" ? entrance.roles : [];

/** The roles of the schema, if they are an enum. */
function rolesOfUsers({ database }: InspectedService): readonly string[] {
  const field = ["role", "roles"].map((name) => database?.models.get("User")?.fieldsByName.get(name));
  return field.flatMap((one) => (one?.kind === "enum" ? one.values : []));
}

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function formatJson({ heads, rows }: Table): string {
  const objects = rows.map((cells) => Object.fromEntries(heads.map((head, at) => [head, cells[at]])));
  return JSON.stringify(objects, null, 2);
}

async function compare(file: string, matrix: Table): Promise<CommandResult> {
  const committed = await readFile(file, "utf8").catch((error: Error) => {
    throw commandError("service access", `${file} cannot be read: ${error.message}`);
  });
  const isJson = file.endsWith(".json");
  const [before, now] = [
    linesOf(committed, isJson),
    linesOf(isJson ? formatJson(matrix) : formatMarkdown(matrix), isJson),
  ];
  const gone = before.filter((line) => !now.includes(line)).map((line) => `- ${line}`);
  const added = now.filter((line) => !before.includes(line)).map((line) => `+ ${line}`);
  if (gone.length + added.length === 0) return { text: `${file} is up to date.` };
  const hint = `service access --${isJson ? "json" : "markdown"} > ${file}`;
  return {
    text: `${file} differs:\n${[...gone, ...added].join("\n")}\n\nIf this is intended: ${hint}`,
    exitCode: 1,
  };
}

/** The rows of a committed file, one per line; a document may contain more than the table. */
function linesOf(text: string, isJson: boolean): readonly string[] {
  if (!isJson) return text.split(/\r?\n/).filter((line) => line.startsWith("|"));
  try {
    return (JSON.parse(text) as unknown[]).map((row) => JSON.stringify(row));
  } catch {
    throw commandError("service access", "The committed file is not the output of service access --json.");
  }
}
