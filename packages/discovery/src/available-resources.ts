import type { Field, Model } from "@servicekit/prisma";
import { type AuthenticationConfig, type RouteTable, type ServiceRouter } from "@servicekit/router";
import { toAccessRule } from "@servicekit/router/internal";
import type { Request } from "express";
import { type Allows, authenticationOf } from "./access.js";
import { makeDiscoveryRoute } from "./discovery-route.js";
import { availableResourcesDocumentation } from "./documentation.js";

/** A field as `GET /api/available-resources` tells it. */
export interface AvailableField {
  readonly name: string;
  /** A scalar type of the schema (`String`, `DateTime` …), or the name of an enum or a model. */
  readonly type: string;
  readonly required: boolean;
  readonly unique: boolean;
  readonly list: boolean;
  /** The kebab-case name of the related resource; only on relations. */
  readonly relation?: string;
  /** The foreign keys of a relation that is stored here, each with the field of the related resource that it is equal to. */
  readonly references?: Readonly<Record<string, string>>;
  /** The relation at the other end; only on relations. */
  readonly opposite?: string;
  /** The names that an enum field takes. */
  readonly values?: readonly string[];
}

/** An operation of a resource. */
export interface AvailableOperation {
  /** Such as `createOne`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Whether the caller may use it; only where authentication is on. */
  readonly allowed?: boolean;
  /** Who may use it, as the configuration says; only for superusers, where rights stand there. */
  readonly access?: AvailableAccess;
}

/** Who may use an operation (contract C29). */
export interface AvailableAccess {
  /** Whether everyone may, who is not signed in too. */
  readonly open: boolean;
  /** The roles that may, `"*"` for whoever is signed in; besides them superusers. */
  readonly roles: readonly string[];
  /** Whether a row rule narrows which rows they reach. */
  readonly rows: boolean;
}

/** A resource as `GET /api/available-resources` tells it (contract C46). */
export interface AvailableResource {
  /** The kebab-case name of the model. */
  readonly name: string;
  readonly path: string;
  /** The fields whose values `:id` stands for, in this order; none where the caller does not see all of them. */
  readonly key: readonly string[];
  readonly fields: readonly AvailableField[];
  readonly operations: readonly AvailableOperation[];
  /** Whether the caller may use any of its operations; only where authentication is on. */
  readonly allowed?: boolean;
}

/** What a caller can see of one model. */
export interface VisibleModel {
  readonly model: Model;
  /** The names of the stored fields and relations that this caller can see. */
  readonly fields: ReadonlySet<string>;
}

/** What `available-resources` is made from. */
export interface AvailableResourcesOptions {
  readonly table: RouteTable;
  /** The models with what the caller of a request can see of each. */
  readonly visible: (request: Request) => readonly VisibleModel[] | Promise<readonly VisibleModel[]>;
  /** All models by name, to name the resources of relations. */
  readonly models: ReadonlyMap<string, Model>;
  readonly allows?: Allows | undefined;
  /** Whether the caller of a request is told who else may what. @default nobody is */
  readonly tellsAccess?: ((request: Request) => boolean) | undefined;
}

/** An operation, who may use it, and how that is told. */
type Known = readonly [operation: AvailableOperation, authentication: AuthenticationConfig, access: AvailableAccess];
type Operations = readonly Known[];

/** Makes the router of `GET /available-resources`: every model that has a route, with its visible fields. */
export function makeAvailableResources(options: AvailableResourcesOptions): ServiceRouter {
  const { table, visible, models, allows, tellsAccess } = options;
  let known: ReadonlyMap<string, Operations> | undefined;
  const read = async (request: Request): Promise<readonly AvailableResource[]> => {
    known ??= operationsByModel(table);
    const resources: AvailableResource[] = [];
    const isTold = tellsAccess?.(request) === true;
    const seen = await visible(request);
    const shown = new Map(seen.map(({ model, fields }) => [model.name, fields]));
    for (const { model, fields } of seen) {
      const open = known.get(model.name);
      if (open === undefined) continue;
      const operations = await Promise.all(
        open.map(async ([operation, authentication, access]) => ({
          ...operation,
          ...(allows === undefined ? {} : { allowed: await allows(request, authentication) }),
          ...(isTold ? { access } : {}),
        })),
      );
      resources.push({
        name: model.resource,
        path: resourcePath(operations),
        key: keyOf(model, fields),
        fields: model.fields.flatMap((field) =>
          fields.has(field.name) ? toAvailableField(field, { model, models, shown }) : [],
        ),
        operations,
        ...(allows === undefined ? {} : { allowed: operations.some(({ allowed }) => allowed === true) }),
      });
    }
    return resources;
  };
  return makeDiscoveryRoute({
    name: "available-resources",
    allows,
    read,
    documentation: availableResourcesDocumentation,
  });
}

function operationsByModel({ entries }: RouteTable): ReadonlyMap<string, Operations> {
  const found = new Map<string, Known[]>();
  for (const { method, path, route } of entries) {
    const { model, operation, hasRowRule } = route?.origin ?? {};
    if (route === undefined || model === undefined || operation === undefined) continue;
    const list = found.get(model) ?? [];
    const authentication = authenticationOf(route.config);
    list.push([{ name: operation, method, path }, authentication, toAccess(authentication, hasRowRule === true)]);
    found.set(model, list);
  }
  return found;
}

function toAccess(authentication: AuthenticationConfig, rows: boolean): AvailableAccess {
  if (typeof authentication === "boolean") return { open: !authentication, roles: authentication ? ["*"] : [], rows };
  const { rule } = authentication;
  return { open: false, roles: rule === undefined ? [] : [...toAccessRule(rule).roles], rows };
}

/** The path that all operations begin with. */
function resourcePath(operations: readonly AvailableOperation[]): string {
  const [first] = operations.map(({ path }) => path.replace(/\/(many|:id)$/, ""));
  return first ?? "";
}

/** What a field is told with. */
interface Surrounding {
  readonly model: Model;
  readonly models: ReadonlyMap<string, Model>;
  /** What the caller sees of each model. */
  readonly shown: ReadonlyMap<string, ReadonlySet<string>>;
}

function toAvailableField(field: Field, { model, models, shown }: Surrounding): AvailableField {
  const { name, type, isRequired, isList } = field;
  const common = { name, type, required: isRequired, unique: isUnique(name, model), list: isList };
  if (field.kind !== "relation") return field.kind === "enum" ? { ...common, values: field.values } : common;
  const resource = models.get(field.type)?.resource;
  if (resource === undefined) return common;
  const { fields, references, opposite } = field.relation;
  const isShown = (owner: string, names: readonly string[]): boolean =>
    names.length > 0 && names.every((each) => shown.get(owner)?.has(each));
  const isStoredInSight = isShown(model.name, fields) && isShown(field.type, references);
  const pairs = fields.map((own, at) => [own, references[at] as string]);
  return {
    ...common,
    relation: resource,
    ...(isStoredInSight ? { references: Object.fromEntries(pairs) as Record<string, string> } : {}),
    ...(opposite !== undefined && isShown(field.type, [opposite]) ? { opposite } : {}),
  };
}

/** What `:id` stands for (contract C7), as far as the caller sees all of it. */
function keyOf({ key }: Model, fields: ReadonlySet<string>): readonly string[] {
  const names = key?.fields.map(({ name }) => name) ?? [];
  return names.every((name) => fields.has(name)) ? names : [];
}

const isUnique = (name: string, { uniqueKeys }: Model): boolean =>
  uniqueKeys.some(({ fields }) => fields.length === 1 && fields[0]?.name === name);
