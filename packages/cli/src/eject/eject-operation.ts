import fs from "node:fs";
import path from "node:path";
import { importModule } from "@servicekit/config-loader/internal";
import { nearestWord } from "@servicekit/core/internal";
import type { Model, Models } from "@servicekit/prisma";
import { makeRouteTable, type RouteAuthentication, type RouteConfig, type RouteOrigin } from "@servicekit/router";
import { requiredAuthentication } from "@servicekit/router/internal";
import { commandError } from "../command-error.js";
import type { InspectedService } from "../commands/inspected-service.js";
import { outputsOf } from "../generate/generate-client.js";
import type { Project } from "../project/project.js";
import { type Change, closeOperation, mountRouter } from "./close-operation.js";
import { type Ejectable, type Ejected, ejectable, namesOf } from "./ejected.js";
import { routeText } from "./route-text.js";
import { testText } from "./test-text.js";
import { type ModuleInfo, whyNot } from "./why-not.js";

/** The written files. */
export interface Ejection {
  /** Relative to the root. */
  readonly files: readonly string[];
  /** The remaining manual steps. */
  readonly left: readonly string[];
}

const at = "service eject";

/**
 * Writes a generated route as code, disables the generated one, and writes a test that compares both.
 *
 * @param what `Post.findMany`
 * @throws {CommandError} for an unknown route, for one that plain code cannot replace, and for existing files; then
 * nothing is written
 */
export async function ejectOperation(service: InspectedService, project: Project, what: string): Promise<Ejection> {
  const { root } = project;
  const models = service.database?.models ?? new Map<string, Model>();
  const { model, operation } = readName(what, models);
  const all = makeRouteTable(service.app.router).entries;
  const routes = all.filter(({ route }) => route?.origin.model === model.name);
  const entry = routes.find(({ route }) => route?.origin.operation === operation);
  if (entry?.route === undefined)
    throw commandError(at, `${model.name}.${operation} is not generated: it is disabled or already written as code.`);
  const { config, origin } = entry.route;
  const folder = path.join(root, "src", "modules", model.resource);
  const fileOf = (component: string): string => path.join(folder, `${model.resource}.${component}.ts`);
  const read = (component: string): string =>
    fs.existsSync(fileOf(component)) ? fs.readFileSync(fileOf(component), "utf8") : "";
  const own = fs.existsSync(fileOf("model"))
    ? ((await importModule(fileOf("model"))) as { default?: ModuleInfo }).default
    : undefined;
  const given = service.config.modelRouter?.models[model.name];
  const why = whyNot({
    model,
    operation,
    hasRowRule: origin.hasRowRule === true,
    ruled: new Set(all.flatMap(({ route }) => (hidesRows(route?.origin) ? (route?.origin.model ?? []) : []))),
    modules: [own, given].filter((one) => one !== undefined),
    hooks: read("middlewares"),
    hasDtos: read("dtos") !== "",
    hasAccounts: service.config.authentication?.enabled === true,
  });
  if (why !== undefined) throw commandError(at, `${model.name}.${operation} cannot be written as code: ${why}`);
  const bodySchema = operation === "createOne" ? "create" : operation === "updateOne" ? "update" : undefined;
  const hasSchema = bodySchema !== undefined && new RegExp(`export const ${bodySchema}\\b`).test(read("schemas"));
  const [key = undefined] = model.key?.fields ?? [];
  if (key === undefined) throw commandError(at, `${model.name} has no id.`);
  const ejected: Ejected = {
    model,
    operation,
    path: entry.path,
    authentication: service.config.authentication?.enabled === true ? authenticationOf(config) : undefined,
    key,
    bodySchema: hasSchema ? bodySchema : undefined,
    client: clientOf(project),
  };
  const others = routes.filter(({ route }) => route !== entry.route && /^find/.test(route?.origin.operation ?? ""));
  const changes = changesOf(root, ejected, {
    service,
    models,
    keepsReachable: /^find/.test(operation) && others.length === 0,
  });
  for (const { file, text } of changes.written) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), text);
  }
  return { files: changes.written.map(({ file }) => file), left: changes.left };
}

/** A public generated route authenticates callers with a token, and rejects an invalid one. */
const authenticationOf = ({ authentication }: RouteConfig): RouteAuthentication | undefined =>
  requiredAuthentication(authentication) === false ? "optional" : authentication;

interface Around {
  readonly service: InspectedService;
  readonly models: Models;
  readonly keepsReachable: boolean;
}

function changesOf(root: string, ejected: Ejected, { service, models, keepsReachable }: Around) {
  const { route, test, router } = namesOf(ejected);
  for (const file of [route, test]) {
    if (fs.existsSync(path.join(root, file))) throw commandError(at, `${file} already exists. Nothing was written.`);
  }
  const written: Change[] = [{ file: route, text: routeText(ejected) }, closeOperation(root, ejected, keepsReachable)];
  const left: string[] = [];
  const mounted = mountRouter(root, ejected);
  if (mounted === undefined) left.push(`Pass it to the service: use: [${router}], imported from ${route}.`);
  else written.push(mounted);
  const { login } = service.config.authentication ?? {};
  const user = models.get("User");
  const [name] = login?.allowedUsernames ?? [];
  const signIn = user === undefined || name === undefined ? undefined : { user, name };
  const text = mounted?.file === "src/app.ts" ? testText(ejected, { models, signIn, app: mounted.file }) : undefined;
  if (text === undefined)
    left.push("No test was written: it requires src/app.ts with `app`, and rows that can be generated.");
  else written.push({ file: test, text });
  return { written, left };
}

function readName(what: string, models: Models): { readonly model: Model; readonly operation: Ejectable } {
  const [name = "", word = "", ...more] = what.split(".");
  if (word === "" || more.length > 0)
    throw commandError(at, `${what} is not a route of a model. Expected a name such as Post.findMany.`);
  const model = models.get(name) ?? [...models.values()].find(({ resource }) => resource === name);
  const hint = (given: string, known: readonly string[]): string => {
    const near = nearestWord(given, known);
    return near === undefined ? "" : ` Did you mean ${near}?`;
  };
  if (model === undefined) throw commandError(at, `Unknown model ${name}.${hint(name, [...models.keys()])}`);
  const operation = ejectable.find((one) => one === word);
  if (operation === undefined)
    throw commandError(
      at,
      `${word} cannot be written as code. Supported: ${ejectable.join(", ")}.${hint(word, ejectable)}`,
    );
  return { model, operation };
}

/** The path of the Prisma client, relative to the root. */
function clientOf({ schema, root }: Project): string {
  const folder = outputsOf(schema ?? "").find((output) => fs.existsSync(path.join(output, "client.ts")));
  if (folder === undefined)
    throw commandError(at, "The client has not been generated. Run npx service generate first.");
  return path.relative(root, path.join(folder, "client.js"));
}

/** Whether some rows of a model do not exist for a caller: by a row rule, or by soft delete. */
const hidesRows = (origin: RouteOrigin | undefined): boolean =>
  origin?.hasRowRule === true || origin?.operation === "restoreOne";
