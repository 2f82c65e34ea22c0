import { httpErrors } from "@servicekit/core";
import { type Model, type Models } from "@servicekit/prisma";
import { type Filter, isHidden, noRow, toWhere } from "@servicekit/prisma/internal";
import { type AuthenticationConfig, type BodyView, callerOf } from "@servicekit/router";
import type { Request, RequestHandler } from "express";
import { type Where } from "../resource/filter/where.js";
import { isOffered, readOperation } from "../resource/is-offered.js";
import { type Operation } from "../resource/operation.js";
import { type Resource } from "../resource/resource.js";
import { makeViews, type View } from "../resource/view.js";
import type { ModelRouterSettings } from "../settings.js";
import { bodyViewOf } from "./conceal-keys.js";
import type { ReadGuard } from "./guard-read.js";
import { type ModelAccess, operationAccess } from "./operation-access.js";
import { makeRowRules, type RequestRules } from "./row-rules.js";

/**
 * What the caller of one request may see, and do to the rows of each model. Every path asks here: the route of an
 * operation, bodies with relations, connects, bulks and forms (contract C57).
 */
export interface RequestAccess {
  readonly view: View;
  /** `undefined` where no row rule holds for this caller. */
  readonly rules: RequestRules | undefined;
  /** Whether the caller may do this with a model at all: by role or stored permission, and where nobody has closed it. */
  readonly may: (model: Model, operation: Operation) => boolean | Promise<boolean>;
  /** The operation by whose rules relations and filters lead to a model. */
  readonly readBy: (modelName: string) => "findMany" | "findOne";
}

/** Finds out what callers may see and do; made once at start. */
export interface Access {
  /** What is seen by who may see everything that is not hidden from all. */
  readonly whole: View;
  /** The step that has to run before any other of a generated route. */
  readonly step: RequestHandler;
  /** What the caller may name in the body of a route; `undefined` where every caller may name the same. */
  readonly bodyView:
    | ((request: Request, model: string) => BodyView | undefined | Promise<BodyView | undefined>)
    | undefined;
  /** What the caller of a request outside the generated routes may see. */
  readonly find: (request: Request) => Promise<RequestAccess>;
}

/** What access is decided by. */
export interface AccessSettings {
  /** With the hidden fields of the configuration marked. */
  readonly models: Models;
  readonly paths: ReadonlyMap<string, string>;
  readonly settings: ModelRouterSettings;
  /** `undefined` without authentication: then no model is closed to anyone. */
  readonly access: ModelAccess | undefined;
}

/**
 * Makes the access of a service (contract C30). Without authentication, rules of fields and rules of rows there is one
 * view for all, and nothing is found out when a request comes.
 */
export function makeAccess({ models, paths, settings, access }: AccessSettings): Access {
  const { models: configs } = settings;
  const read = readableModels(models, settings);
  const views = makeViews(models, paths, settings, read.size === models.size ? undefined : new Set(read.keys()));
  const rules = makeRowRules(models, configs);
  const roleNames = [...new Set(Object.values(configs).flatMap(({ auth }) => Object.keys(auth?.fields ?? {})))].sort();
  const hasFieldRules = Object.values(configs).some(({ auth }) => auth?.fields !== undefined);
  const offers = (model: Model, operation: Operation): boolean => isOffered(model, operation, configs[model.name]);
  const ruleOf = keptRules(settings);
  const readBy = (name: string) => read.get(name)?.operation ?? "findMany";
  const guarded = access === undefined ? [] : [...read.values()].filter(({ rule }) => rule !== false);
  const open: RequestAccess = Object.freeze({ view: views.whole, rules: rules.standing, may: offers, readBy });
  const isSame = !hasFieldRules && !rules.areSome && guarded.length === 0 && access === undefined;
  const viewsByRights = new WeakMap<object, View>();
  const viewOf = async (callersRoles: readonly string[], may: RequestAccess["may"]): Promise<View> => {
    const viewable = await viewableModels(guarded, read, may, views.whole);
    const roles = roleNames.filter((name) => callersRoles.includes(name));
    const isWhole = !hasFieldRules && viewable === views.whole.viewable;
    return isWhole ? views.whole : views.of({ roles, isSuperUser: false, viewable });
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
  const keep = (request: Request, access: RequestAccess): RequestAccess => {
    setAccess(request, access);
    return access;
  };
  /** Once for each request, by whichever step asks first; without a promise where nothing has to be asked. */
  const settle = (request: Request): RequestAccess | Promise<RequestAccess> => {
    const known = knownAccess(request);
    if (known !== undefined) return known;
    const found = find(request);
    return found instanceof Promise ? found.then((access) => keep(request, access)) : keep(request, found);
  };
  /** Kept as long as the view. */
  const bodyViews = new WeakMap<View, Map<string, BodyView>>();
  const bodyViewIn = (view: View, name: string): BodyView | undefined => {
    if (view === views.whole) return undefined;
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
    whole: views.whole,
    find: async (request) => (isSame ? open : find(request)),
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

/** A model that somebody can read. */
interface ReadModel {
  readonly model: Model;
  /** By whose rules relations lead to it. */
  readonly operation: "findMany" | "findOne";
  /** What that operation asks of a caller; `false` for nothing. */
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

/** What the operations ask of a caller: the same value each time, so that who decides may keep what comes of it. */
function keptRules({ models: configs }: ModelRouterSettings) {
  const rules = new Map<string, AuthenticationConfig>();
  return (model: Model, operation: Operation): AuthenticationConfig => {
    const name = `${model.name} ${operation}`;
    const rule = rules.get(name) ?? operationAccess(operation, model.resource, configs[model.name]?.auth);
    rules.set(name, rule);
    return rule;
  };
}

/** Each question is asked once in a request. */
function makeMay(
  request: Request,
  access: ModelAccess,
  ruleOf: (model: Model, operation: Operation) => AuthenticationConfig,
  offers: (model: Model, operation: Operation) => boolean,
): RequestAccess["may"] {
  const answers = new Map<string, boolean | Promise<boolean>>();
  return (model, operation) => {
    const name = `${model.name} ${operation}`;
    const answer = answers.get(name) ?? (offers(model, operation) && access.allows(request, ruleOf(model, operation)));
    answers.set(name, answer);
    return answer;
  };
}

/** @returns that of the whole view when the caller may view as much */
async function viewableModels(
  guarded: readonly ReadModel[],
  read: ReadonlyMap<string, ReadModel>,
  may: RequestAccess["may"],
  whole: View,
): Promise<ReadonlySet<string> | undefined> {
  const answers = guarded.map(({ model, operation }) => may(model, operation));
  const settled = answers.some((answer) => answer instanceof Promise) ? await Promise.all(answers) : answers;
  const refused = new Set(guarded.flatMap(({ model }, index) => (settled[index] === true ? [] : [model.name])));
  return refused.size === 0 ? whole.viewable : new Set([...read.keys()].filter((name) => !refused.has(name)));
}

const key = Symbol("servicekit.modelAccess");

function setAccess(request: Request, access: RequestAccess): void {
  Object.defineProperty(request, key, { value: access, configurable: true });
}

const knownAccess = (request: Request): RequestAccess | undefined =>
  (request as Request & { readonly [key]?: RequestAccess })[key];

/**
 * What the caller of this request may see.
 *
 * @throws {TypeError} outside a generated route: nobody has found it out
 */
export function accessOf(request: Request): RequestAccess {
  const access = knownAccess(request);
  if (access === undefined) throw new TypeError("Nobody has found out what the caller of this request may see.");
  return access;
}

/** A model as the caller of this request sees it. */
export function callersResource(request: Request, { model }: Resource): Resource {
  const resource = accessOf(request).view.resources.get(model.name);
  if (resource === undefined) throw new TypeError(`There is no resource of ${model.name}.`);
  return resource;
}

/** Whether relations and filters lead the caller of this request to a model. */
export function views(request: Request, modelName: string): boolean {
  return accessOf(request).view.viewable?.has(modelName) !== false;
}

/** Whether the caller of this request sees a field or relation of a model, or nobody does. */
export function sees(request: Request, { name }: Model, field: string): boolean {
  const seen = accessOf(request).view.models.get(name)?.fieldsByName.get(field);
  return seen === undefined || !isHidden(seen);
}

/**
 * The rows of a model that the caller may read: what a connect, an include or a filter through a relation may reach
 * (contract C13, C30).
 *
 * @returns a filter, `true` for all rows, `false` for a model that the caller may not view
 */
export async function readableWhere(request: Request, modelName: string): Promise<Where | boolean> {
  if (!views(request, modelName)) return false;
  const access = accessOf(request);
  const rows = await readable(access, modelName);
  return rows === undefined || toWhere(rows, access.view.models.get(modelName) as Model);
}

/** Whether every caller may read every row of every model that this request can name. */
export function readsAll(request: Request): boolean {
  const { view, rules } = accessOf(request);
  return rules === undefined && view.viewable === undefined;
}

function readable(
  { view, rules, readBy }: RequestAccess,
  name: string,
): Filter | undefined | Promise<Filter | undefined> {
  return view.viewable?.has(name) === false ? noRow : rules?.rows(name, readBy(name));
}

/** The filter of the rows that an operation of this request may reach; `undefined` for all. */
export async function reachableWhere(
  request: Request,
  { model }: Resource,
  operation: Operation,
): Promise<Where | undefined> {
  const rows = await accessOf(request).rules?.rows(model.name, operation);
  return rows && toWhere(rows, model);
}

/** The filter that rows must meet when an operation of this request has written them; `undefined` for none. */
export async function leftWhere(
  request: Request,
  { model }: Resource,
  operation: Operation,
): Promise<Where | undefined> {
  const rows = await accessOf(request).rules?.leaves(model.name, operation);
  return rows && toWhere(rows, model);
}

/** What guards filters and reads of this request; `undefined` where no rule holds. */
export function guardOf(request: Request): ReadGuard | undefined {
  const access = accessOf(request);
  if (access.rules === undefined) return undefined;
  return { models: access.view.models, readable: (name) => readable(access, name) };
}
