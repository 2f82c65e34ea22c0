import { randomBytes } from "node:crypto";
import { isHttpError } from "@servicekit/core";
import { joinOr, nearestWord } from "@servicekit/core/internal";
import type { Field, Model } from "@servicekit/prisma";
import type { Command } from "commander";
import { commandError } from "../command-error.js";
import { addHelp } from "../help.js";
import type { InspectedService, WithService } from "./inspected-service.js";

interface Options {
  readonly admin?: boolean;
  readonly password?: string;
  readonly role?: string;
  readonly set: readonly string[];
}

const where = "service user create";
const usesDatabase = { usesDatabase: true };

/** `service user create`: the first administrator, and other users. */
export function addUser(program: Command, withService: WithService): void {
  const user = program.command("user").description("manage users");
  addHelp(user.command("create"), {
    notes: "If a user with this login name exists, --admin and --role change that user.",
    examples: [
      "service user create --admin --set email=ada@example.com name=Ada",
      "service user create --role STAFF --set email=ben@example.com name=Ben --password …",
    ],
  })
    .description("create a user, or change the role of an existing one")
    .option("--set <field=value...>", "fields of the user, such as email=ada@example.com; required", [])
    .option("--password <password>", "password of 12 to 72 bytes; default: a generated one, which is printed")
    .option("--role <role>", "role of the user, in static mode")
    .option("--admin", "create a superuser, who has every permission")
    .action((options: Options) =>
      withService(
        async (service) => ({ text: await createUser(service, options).catch(explainDatabaseError) }),
        usesDatabase,
      ),
    );
}

/** @throws {CommandError} with the fix of an error of the database */
function explainDatabaseError(error: unknown): never {
  if (!isHttpError(error)) throw error;
  const fixes: Readonly<Record<string, string>> = {
    DatabaseUnavailable: "Start it, or correct DATABASE_URL.",
    SchemaMismatch: "Run npx service migrate deploy.",
  };
  throw commandError(where, [error.message, fixes[error.code]].filter(Boolean).join(" "));
}

async function createUser(service: InspectedService, { admin = false, password, role, set }: Options): Promise<string> {
  const { database, config } = service;
  const model = database?.models.get("User");
  if (database === undefined || model === undefined) throw commandError(where, "The schema has no model User.");
  if (config.authentication?.enabled !== true) throw commandError(where, "No authentication is configured.");
  const given = Object.fromEntries(set.map((pair) => readPair(pair, model)));
  const { allowedUsernames: names = [], normalizeNames = true } = config.authentication.login ?? {};
  const exact = { ...given };
  // The fields that a signup normalizes.
  for (const name of normalizeNames ? [...names, "email"] : [])
    if (typeof given[name] === "string") given[name] = given[name].normalize("NFKC").toLowerCase();
  checkRole(model, role);
  const flags = { ...(role === undefined ? {} : { role }), ...(admin ? rightsOf(model, role) : {}) };
  const users = database.of("User");
  const login = names.find((name) => given[name] !== undefined && model.fieldsByName.get(name) !== undefined);
  if (login === undefined)
    throw commandError(
      where,
      `--set requires ${joinOr([...names])}, with which the user signs in: --set ${names[0]}=…`,
    );
  const find = (name: unknown) => users.findFirst({ where: { [login]: name } as never });
  // As at a login: a name from before the normalization is found by its own spelling.
  const known = (await find(exact[login])) ?? (await find(given[login]));
  if (known !== null) {
    const key = model.key?.name ?? "id";
    if (Object.keys(flags).length === 0) throw commandError(where, `A user ${String(known[login])} already exists.`);
    await users.update({ where: { [key]: known[key] } as never, data: flags as never });
    return `${String(known[login])} already exists. The password is unchanged; ${Object.keys(flags).join(" and ")} ${Object.keys(flags).length > 1 ? "are" : "is"} set.`;
  }
  const missing = model.fields.filter(
    (field) => isNeeded(field) && given[field.name] === undefined && !(field.name in flags),
  );
  if (missing.length > 0)
    throw commandError(
      where,
      `A new user requires ${missing.map(({ name }) => name).join(", ")}: --set ${missing[0]?.name}=…`,
    );
  const made = password ?? randomBytes(12).toString("base64url");
  const bytes = Buffer.byteLength(made);
  if (bytes < 12 || bytes > 72) throw commandError(where, "--password must have 12 to 72 bytes.");
  const data = { ...given, ...flags, password: await service.hashPassword(made) };
  await users.create({ data: data as never });
  const hint = password === undefined ? ` The password is ${made}` : "";
  return `Created the user ${String(given[login])}${admin ? " with full access" : ""}.${hint}`;
}

/** The fields that make a user an administrator. */
function rightsOf(model: Model, role: string | undefined): object {
  if (model.fieldsByName.has("isSuperUser")) return { isSuperUser: true };
  if (role !== undefined) return {};
  throw commandError(where, "User has no field isSuperUser. Use --role with the role of administrators.");
}

const isNeeded = (field: Field): boolean =>
  (field.kind === "scalar" || field.kind === "enum") &&
  field.isRequired &&
  !field.isList &&
  !field.hasDefault &&
  !field.isUpdatedAt &&
  field.name !== "password";

/** The roles are those of the schema, in a list or not. */
function checkRole(model: Model, role: string | undefined): void {
  const field = model.fieldsByName.get("role");
  if (role === undefined) return;
  if (field === undefined) throw commandError(where, "User has no field role. Remove --role.");
  if (field.kind === "enum") checkValue("--role", role, field.values);
}

function checkValue(option: string, value: string, known: readonly string[]): void {
  if (known.includes(value)) return;
  const nearest = nearestWord(value, known);
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  throw commandError(where, `${option} ${value}: expected one of ${known.join(", ")}.${hint}`);
}

function readPair(pair: string, model: Model): [string, unknown] {
  const [, name = "", value = ""] = /^(\w+)=([\s\S]*)$/.exec(pair) ?? [];
  if (name === "") throw commandError(where, `--set ${pair}: expected field=value.`);
  if (name === "password") throw commandError(where, "Set --password, or omit it to generate one.");
  const columns = model.fields.filter(({ kind }) => kind === "scalar" || kind === "enum");
  const field = columns.find((column) => column.name === name);
  if (field === undefined) {
    const names = columns.map((column) => column.name).filter((column) => column !== "password");
    const nearest = nearestWord(name, names);
    const hint = nearest === undefined ? `Expected one of ${names.join(", ")}.` : `Did you mean ${nearest}?`;
    throw commandError(where, `User has no field ${name}. ${hint}`);
  }
  if (field.kind === "enum") checkValue(`--set ${name}`, value, field.values);
  return [name, readValue(value, field.type)];
}

function readValue(text: string, type: string): unknown {
  if (type === "Boolean") return text === "true";
  if (type === "Int" || type === "Float") return Number(text);
  if (type === "BigInt") return BigInt(text);
  if (type === "DateTime") return new Date(text);
  return text;
}
