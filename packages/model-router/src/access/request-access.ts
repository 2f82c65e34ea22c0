import type { IncomingMessage } from "node:http";
import { httpErrors } from "@servicekit/core";
import { nearestWord } from "@servicekit/core/internal";
import { type Model, type Models } from "@servicekit/prisma";
import { type Filter, isHidden, noRow, toWhere } from "@servicekit/prisma/internal";
import { type AuthenticationConfig, type BodyView, callerOf } from "@servicekit/router";
import type { Request, RequestHandler, Response } from "express";
import { isOffered, readOperation } from "../resource/config/is-offered.js";
import type { Operation, Right } from "../resource/config/operation.js";
import type { DeletedRows } from "../resource/config/soft-delete.js";
import { type Where } from "../resource/filter/where.js";
import { type Resource } from "../resource/resource.js";
import { makeViews, type View } from "../resource/view.js";
import type { ModelRouterSettings } from "../settings.js";
import { bodyViewOf } from "./conceal-keys.js";
import type { ReadGuard } from "./guard-read.js";
import { type ModelAccess, operationAccess } from "./operation-access.js";
import { makeRowRules, type RequestRules } from "./row-rules.js";

/**
 * What the caller of one request may see, and do to the rows of each model. Every path uses it: the route of an
 * operation, bodies with relations, connects, bulks and forms (contract C57).
 */
export interface RequestAccess {
  readonly view: View;
  /** `undefined` if no row rule applies to this caller. */
  readonly rules: RequestRules | undefined;
  /** Whether the caller may perform the operation on a model: by role or stored permission, and if it is enabled. */
  readonly may: (model: Model, right: Right) => boolean | Promise<boolean>;
  /** The operation whose rules apply to a model reached through relations and filters. */
  readonly readBy: (modelName: string) => "findMany" | "findOne";
}

/** Determines what callers may see and do; created once at startup. */
export interface Access {
  /** The view of a caller with full access. */
  readonly complete: View;
  /** The step that must precede all others of a generated route. */
  readonly step: RequestHandler;
  /** The body keys of the caller of a route; `undefined` if they are equal for every caller. */
  readonly bodyView:
    | ((request: Request, model: string) => BodyView | undefined | Promise<BodyView | undefined>)
    | undefined;
  /** The view of the caller of a request outside the generated routes. */
  readonly find: (request: Request) => Promise<RequestAccess>;
  /**
   * Determines the caller of an open request and their access again.
   *
   * @returns the request with its present caller
   * @throws {HttpError} 401 if the credential is no longer accepted
   */
  readonly renew: (request: Request, response: Response) => Promise<Request>;
}

/** The input of access decisions. */
export interface AccessSettings {
  /** With the configured hidden fields. */
  readonly models: Models;
  readonly paths: ReadonlyMap<string, string>;
  readonly settings: ModelRouterSettings;
  /** `undefined` without authentication: then every model is open to everyone. */
  readonly access: ModelAccess | undefined;
}

/**
 * Creates the access of a service (contract C30). Without authentication, field rules and row rules there is one view
 * for all, and nothing is computed per request.
 */
export function makeAccess({ models, paths, settings, access }: AccessSettings): Access {
  const { models: configs } = settings;
  const read = readableModels(models, settings);
  const views = makeViews(models, paths, settings, read.size === models.size ? undefined : new Set(read.keys()));
  const rules = makeRowRules(models, configs);
  const roleNames = [...new Set(Object.values(configs).flatMap(({ auth }) => Object.keys(auth?.fields ?? {})))].sort();
  const hasFieldRules = Object.values(configs).some(({ auth }) => auth?.fields !== undefined);
  const offers = (model: Model, right: Right): boolean => isOffered(model, right, configs[model.name]);
  const ruleOf = cachedRules(settings);
  const readBy = (name: string) => read.get(name)?.operation ?? "findMany";
  const guarded = access === undefined ? [] : [...read.values()].filter(({ rule }) => rule !== false);
  const open: RequestAccess = Object.freeze({ view: views.complete, rules: rules.standing, may: offers, readBy });
  const isSame = !hasFieldRules && !rules.areSome && guarded.length === 0 && access === undefined;
  const viewsByRights = new WeakMap<object, View>();
  const viewOf = async (callersRoles: readonly string[], may: RequestAccess["may"]): Promise<View> => {
    const viewable = await viewableModels(guarded, read, may, views.complete);
    const roles = roleNames.filter((name) => callersRoles.includes(name));
    const isWhole = !hasFieldRules && viewable === views.complete.viewable;
    return isWhole ? views.complete : views.of({ roles, isSuperUser: false, viewable });
  };
  const find = (request: Request): RequestAccess | Promise<RequestAccess> => {
    const caller = callerOf(request);
    if (caller?.isSuperUser === true) return open;
    const may = access === undefined ? offers : makeMay(request, access, ruleOf, offers);
    const through = (view: View): RequestAccess => ({
      ...{ view, may, readBy },
      rules: rules.areSome ? rules.of(request) : rules.standing,
    });
    const rights = access?.rightsOf?.(request);
    const known = rights && viewsByRights.get(rights);
    if (known !== undefined) return through(known);
    return viewOf(caller?.roles ?? [], may).then((view) => {
      if (rights !== undefined) viewsByRights.set(rights, view);
      return through(view);
    });
  };
  const store = (request: Request, access: RequestAccess): RequestAccess => {
    setAccess(request, access);
    return access;
  };
  /** Once per request, by the first step that needs it; synchronous if possible. */
  const settle = (request: Request): RequestAccess | Promise<RequestAccess> => {
    const known = knownAccess(request);
    if (known !== undefined) return known;
    const found = find(request);
    return found instanceof Promise ? found.then((access) => store(request, access)) : store(request, found);
  };
  /** Cached as long as the view. */
  const bodyViews = new WeakMap<View, Map<string, BodyView>>();
  const bodyViewIn = (view: View, name: string): BodyView | undefined => {
    if (view === views.complete) return undefined;
    const ofView = bodyViews.get(view) ?? new Map<string, BodyView>();
    bodyViews.set(view, ofView);
    const known = ofView.get(name);
    if (known !== undefined) return known;
    const model = view.models.get(name) as Model;
    // Rows without a key can only be listed, whatever the body is.
    if (model.key === undefined && models.get(name)?.key !== undefined) throw httpErrors.Forbidden();
    const made = bodyViewOf(model, { seen: view.models, models });
    ofView.set(name, made);
    return made;
  };
  return {
    complete: views.complete,
    find: async (request) => (isSame ? open : find(request)),
    renew: async (request, response) => {
      const again =
        access?.renew === undefined ? (Object.create(request) as Request) : await access.renew(request, response);
      setAccess(again, isSame ? open : await find(again));
      return again;
    },
    bodyView: isSame
      ? undefined
      : (request, name) => {
          const settled = settle(request);
          return settled instanceof Promise
            ? settled.then(({ view }) => bodyViewIn(view, name))
            : bodyViewIn(settled.view, name);
        },
    step: isSame
      ? (request, _response, next) => {
          setAccess(request, open);
          next();
        }
      : (request, _response, next) => {
          const settled = settle(request);
          if (settled instanceof Promise) return settled.then(() => next());
          next();
          return undefined;
        },
  };
}

/** A model that some caller can read. */
interface ReadModel {
  readonly model: Model;
  /** The operation whose rules apply through relations. */
  readonly operation: "findMany" | "findOne";
  /** The access that the operation requires; `false` for none. */
  readonly rule: ReturnType<typeof operationAccess>;
}

function readableModels(models: Models, { models: configs }: ModelRouterSettings): ReadonlyMap<string, ReadModel> {
  return new Map(
    [...models.values()].flatMap((model): (readonly [string, ReadModel])[] => {
      const config = configs[model.name];
      const operation = readOperation(model, config);
      if (operation === undefined) return [];
      return [[model.name, { model, operation, rule: operationAccess(operation, model.resource, config?.auth) }]];
    }),
  );
}

/** The access that the operations require: always the same value, so that results can be cached by it. */
function cachedRules({ models: configs }: ModelRouterSettings) {
  const rules = new Map<string, AuthenticationConfig>();
  return (model: Model, right: Right): AuthenticationConfig => {
    const name = `${model.name} ${right}`;
    const rule = rules.get(name) ?? operationAccess(right, model.resource, configs[model.name]?.auth);
    rules.set(name, rule);
    return rule;
  };
}

/** Each check runs once per request. */
function makeMay(
  request: Request,
  access: ModelAccess,
  ruleOf: (model: Model, right: Right) => AuthenticationConfig,
  offers: (model: Model, right: Right) => boolean,
): RequestAccess["may"] {
  const results = new Map<string, boolean | Promise<boolean>>();
  return (model, right) => {
    const name = `${model.name} ${right}`;
    const result = results.get(name) ?? (offers(model, right) && access.allows(request, ruleOf(model, right)));
    results.set(name, result);
    return result;
  };
}

/** @returns that of the complete view if the caller may view as much */
async function viewableModels(
  guarded: readonly ReadModel[],
  read: ReadonlyMap<string, ReadModel>,
  may: RequestAccess["may"],
  complete: View,
): Promise<ReadonlySet<string> | undefined> {
  const allowed = guarded.map(({ model, operation }) => may(model, operation));
  const settled = allowed.some((one) => one instanceof Promise) ? await Promise.all(allowed) : allowed;
  const rejected = new Set(guarded.flatMap(({ model }, index) => (settled[index] === true ? [] : [model.name])));
  return rejected.size === 0 ? complete.viewable : new Set([...read.keys()].filter((name) => !rejected.has(name)));
}

const key = Symbol("servicekit.modelAccess");

function setAccess(request: Request, access: RequestAccess): void {
  Object.defineProperty(request, key, { value: access, configurable: true });
}

const knownAccess = (request: Request): RequestAccess | undefined =>
  (request as Request & { readonly [key]?: RequestAccess })[key];

/**
 * The view of this request's caller.
 *
 * @throws {TypeError} outside a generated route, where it has not been computed
 */
export function accessOf(request: Request): RequestAccess {
  const access = knownAccess(request);
  if (access === undefined) throw new TypeError("The access of the caller has not been determined for this request.");
  return access;
}

const finderKey = Symbol("servicekit.findModelAccess");
type Application = { readonly locals: Record<PropertyKey, unknown> };

/** Makes {@link readableWhere} available to all requests of an application. */
export function provideAccess(app: Application, { find }: Access): void {
  app.locals[finderKey] = find;
}

/** Not stored: a request that is authenticated later has another caller then. */
function findAccess(request: Request): Promise<RequestAccess> {
  const find = (request.app as Application | undefined)?.locals[finderKey] as Access["find"] | undefined;
  if (find !== undefined) return find(request);
  const fix = "Call it in a service with a database, or call provideAccess of the model router first.";
  throw new TypeError(`readableWhere has no rules of models for this request. ${fix}`);
}

/** A model in the view of this request's caller. */
export function callersResource(request: Request, { model }: Resource): Resource {
  const resource = accessOf(request).view.resources.get(model.name);
  if (resource === undefined) throw new TypeError(`There is no resource of ${model.name}.`);
  return resource;
}

/** The fields and relations of a model as this request's caller sees them. */
export function callersModel(request: Request, model: Model): Model {
  return accessOf(request).view.models.get(model.name) ?? model;
}

/** Whether relations and filters may lead the caller of this request to a model. */
export const views = (request: Request, modelName: string): boolean => isViewable(accessOf(request), modelName);

const isViewable = ({ view }: RequestAccess, modelName: string): boolean => view.viewable?.has(modelName) !== false;

/** Whether the caller of this request may see a field or relation of a model, or no caller may. */
export function sees(request: Request, { name }: Model, field: string): boolean {
  const seen = accessOf(request).view.models.get(name)?.fieldsByName.get(field);
  return seen === undefined || !isHidden(seen);
}

/**
 * The rows of a model that the caller of a request may read: the targets of a connect, an include or a filter through a relation
 * (contract C13, C30). In hooks and in routes of your own, it is the filter of a query on behalf of the caller. A route identifies
 * its caller if it declares `authentication`.
 *
 * @param modelName the name of the model in the schema
 * @param deleted which rows, by their deletion
 * @returns a filter of Prisma, `true` for all rows, `false` for a model that the caller may not view
 * @throws {TypeError} for an unknown model, and outside of a service with a database
 */
export async function readableWhere(
  request: IncomingMessage,
  modelName: string,
  deleted?: DeletedRows,
): Promise<Where | boolean> {
  const access = knownAccess(request as Request) ?? (await findAccess(request as Request));
  const model = access.view.models.get(modelName);
  if (model === undefined) throw unknownModel(modelName, access.view.models);
  if (!isViewable(access, modelName)) return false;
  const rows = await readable(access, modelName, deleted);
  return rows === undefined || toWhere(rows, model);
}

function unknownModel(name: string, models: Models): TypeError {
  const near = nearestWord(name, [...models.keys()]);
  return new TypeError(`Unknown model ${name} in readableWhere.${near === undefined ? "" : ` Did you mean ${near}?`}`);
}

/** Whether every caller may read every row of every model that this request can reach. */
export function readsAll(request: Request): boolean {
  const { view, rules } = accessOf(request);
  return rules === undefined && view.viewable === undefined;
}

function readable(
  { view, rules, readBy }: RequestAccess,
  name: string,
  deleted?: DeletedRows,
): Filter | undefined | Promise<Filter | undefined> {
  return view.viewable?.has(name) === false ? noRow : rules?.rows(name, readBy(name), deleted);
}

/** The filter of the rows that an operation of this request may reach; `undefined` for all. */
export async function reachableWhere(
  request: Request,
  { model }: Resource,
  operation: Right,
  deleted?: DeletedRows,
): Promise<Where | undefined> {
  const rows = await accessOf(request).rules?.rows(model.name, operation, deleted);
  return rows && toWhere(rows, model);
}

/** {@link reachableWhere} as a value. */
export async function reachableRows(
  request: Request,
  { model }: Resource,
  operation: Right,
): Promise<Filter | undefined> {
  return accessOf(request).rules?.rows(model.name, operation);
}

/** The filter that rows must match after a write of this request; `undefined` for none. */
export async function leftWhere(
  request: Request,
  { model }: Resource,
  operation: Operation,
): Promise<Where | undefined> {
  const rows = await accessOf(request).rules?.produces(model.name, operation);
  return rows && toWhere(rows, model);
}

/** The guards of this request's filters and reads; `undefined` if no rule applies. */
export function guardOf(request: Request): ReadGuard | undefined {
  const access = accessOf(request);
  if (access.rules === undefined) return undefined;
  return { models: access.view.models, readable: (name) => readable(access, name) };
}
