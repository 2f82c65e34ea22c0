import type { Field, Model } from "@servicekit/prisma";
import { type AuthenticationConfig, type RouteTable, type ServiceRouter } from "@servicekit/router";
import { toAccessRule } from "@servicekit/router/internal";
import type { Request } from "express";
import { type Allows, authenticationOf } from "./access.js";
import { makeDiscoveryRoute } from "./discovery-route.js";
import { availableResourcesDocumentation } from "./documentation.js";

/** A field in `GET /api/available-resources`. */
export interface AvailableField {
  readonly name: string;
  /** A scalar type (`String`, `DateTime` …), or the name of an enum or a model. */
  readonly type: string;
  readonly required: boolean;
  readonly unique: boolean;
  readonly list: boolean;
  /** Whether it is computed from other fields. */
  readonly computed?: true;
  /** Whether the caller's queries may filter and sort by a computed field. */
  readonly queryable?: true;
  /** The kebab-case name of the related resource; only on relations. */
  readonly relation?: string;
  /** The foreign keys of a relation, each with the field of the related resource that it references. */
  readonly references?: Readonly<Record<string, string>>;
  /** The opposite relation; only on relations. */
  readonly opposite?: string;
  /** The values of an enum field. */
  readonly values?: readonly string[];
}

/** An operation of a resource. */
export interface AvailableOperation {
  /** Such as `createOne`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Whether the caller may use it; only with authentication. */
  readonly allowed?: boolean;
  /** Who may use it, by the configuration; only for superusers, and if the configuration contains the rules. */
  readonly access?: AvailableAccess;
}

/** Who may use an operation (contract C29). */
export interface AvailableAccess {
  /** Whether it is open to everyone, including anonymous clients. */
  readonly open: boolean;
  /** The roles that may use it, `"*"` for signed-in users; superusers always may. */
  readonly roles: readonly string[];
  /** Whether a row rule limits the rows. */
  readonly rows: boolean;
}

/** A resource in `GET /api/available-resources` (contract C46). */
export interface AvailableResource {
  /** The kebab-case name of the model. */
  readonly name: string;
  readonly path: string;
  /** The fields that make up `:id`, in this order; absent if the caller may not read all of them. */
  readonly key: readonly string[];
  readonly fields: readonly AvailableField[];
  readonly operations: readonly AvailableOperation[];
  /** How lists count their rows by default; absent if exactly. */
  readonly count?: "estimated" | "limited";
  /** Whether the caller may use any of its operations; only with authentication. */
  readonly allowed?: boolean;
}

/** The visible part of one model for a caller. */
export interface VisibleModel {
  readonly model: Model;
  /** The names of the fields and relations that the caller may read. */
  readonly fields: ReadonlySet<string>;
  /** The operators of each field that the caller's lists may use. */
  readonly operators: ReadonlyMap<string, readonly string[]>;
  /** How lists count their rows by default. @default "exact" */
  readonly counting?: "exact" | "estimated" | "limited";
}

/** The input of `available-resources`. */
export interface AvailableResourcesOptions {
  readonly table: RouteTable;
  /** The models, with what the caller of a request may read of each. */
  readonly visible: (request: Request) => readonly VisibleModel[] | Promise<readonly VisibleModel[]>;
  /** All models by name, for the resource names of relations. */
  readonly models: ReadonlyMap<string, Model>;
  readonly allows?: Allows | undefined;
  /** Whether the response lists the access of other roles to the caller of a request. @default never */
  readonly describesAccess?: ((request: Request) => boolean) | undefined;
}

/** An operation, its access, and its representation. */
type Known = readonly [operation: AvailableOperation, authentication: AuthenticationConfig, access: AvailableAccess];
type Operations = readonly Known[];

/** Creates the router of `GET /available-resources`: every model with a route, and its visible fields. */
export function makeAvailableResources(options: AvailableResourcesOptions): ServiceRouter {
  const { table, visible, models, allows, describesAccess } = options;
  let known: ReadonlyMap<string, Operations> | undefined;
  const read = async (request: Request): Promise<readonly AvailableResource[]> => {
    known ??= operationsByModel(table);
    const resources: AvailableResource[] = [];
    const showsAccess = describesAccess?.(request) === true;
    const seen = await visible(request);
    const shown = new Map(seen.map(({ model, fields }) => [model.name, fields]));
    for (const { model, fields, operators: usable, counting = "exact" } of seen) {
      const open = known.get(model.name);
      if (open === undefined) continue;
      const operations = await Promise.all(
        open.map(async ([operation, authentication, access]) => ({
          ...operation,
          ...(allows === undefined ? {} : { allowed: await allows(request, authentication) }),
          ...(showsAccess ? { access } : {}),
        })),
      );
      resources.push({
        name: model.resource,
        path: resourcePath(operations),
        key: keyOf(model, fields),
        fields: model.fields.flatMap((field) =>
          fields.has(field.name) ? toAvailableField(field, { model, models, shown, usable }) : [],
        ),
        operations,
        ...(counting === "exact" ? {} : { count: counting }),
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
    const { model, operation, hasRowRule, rights = [] } = route?.origin ?? {};
    if (route === undefined || model === undefined || operation === undefined) continue;
    const list = found.get(model) ?? [];
    const authentication = authenticationOf(route.config);
    for (const { name, authentication: required } of [{ name: operation, authentication }, ...rights]) {
      if (list.some(([known]) => known.name === name)) continue;
      list.push([{ name, method, path }, required, toAccess(required, hasRowRule === true)]);
    }
    found.set(model, list);
  }
  return found;
}

function toAccess(authentication: AuthenticationConfig, rows: boolean): AvailableAccess {
  if (typeof authentication === "boolean") return { open: !authentication, roles: authentication ? ["*"] : [], rows };
  const { rule } = authentication;
  return { open: false, roles: rule === undefined ? [] : [...toAccessRule(rule).roles], rows };
}

/** The common prefix of the paths of all operations. */
function resourcePath(operations: readonly AvailableOperation[]): string {
  const [first] = operations.map(({ path }) => path.replace(/\/(many|:id)$/, ""));
  return first ?? "";
}

/** The context of a field's representation. */
interface DocumentContext {
  readonly model: Model;
  readonly models: ReadonlyMap<string, Model>;
  /** The visible part of each model for the caller. */
  readonly shown: ReadonlyMap<string, ReadonlySet<string>>;
  readonly usable: VisibleModel["operators"];
}

function toAvailableField(field: Field, { model, models, shown, usable }: DocumentContext): AvailableField {
  const { name, type, isRequired, isList } = field;
  const common = { name, type, required: isRequired, unique: isUnique(name, model), list: isList };
  if (field.kind === "computed") return { ...common, computed: true, ...(usable.has(name) ? { queryable: true } : {}) };
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

/** The fields of `:id` (contract C7), if the caller may read all of them. */
function keyOf({ key }: Model, fields: ReadonlySet<string>): readonly string[] {
  const names = key?.fields.map(({ name }) => name) ?? [];
  return names.every((name) => fields.has(name)) ? names : [];
}

const isUnique = (name: string, { uniqueKeys }: Model): boolean =>
  uniqueKeys.some(({ fields }) => fields.length === 1 && fields[0]?.name === name);
