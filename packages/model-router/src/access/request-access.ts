import type { Model, Models } from "@servicekit/orm";
import type { GuardContext, Operation, Resource, Where } from "@servicekit/resource";
import { makeViews, noRow, type View } from "@servicekit/resource";
import { type AuthenticationConfig, callerOf } from "@servicekit/router";
import type { Request, RequestHandler } from "express";
import type { ModelRouterSettings } from "../settings.js";
import { type ModelAccess, operationAccess } from "./operation-access.js";
import { makeRowRules, type RequestRules } from "./row-rules.js";

/** What the caller of one request may see. */
export interface RequestAccess {
  readonly view: View;
  /** `undefined` where no row rule holds for this caller. */
  readonly rules: RequestRules | undefined;
}

/** Finds out what callers may see; made once at start. */
export interface Access {
  /** What is seen by who may see everything that is not hidden from all. */
  readonly whole: View;
  /** The step that has to run before any other of a generated route. */
  readonly step: RequestHandler;
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
  const views = makeViews(models, paths, settings);
  const rules = makeRowRules(models, settings.models);
  const roleNames = [
    ...new Set(Object.values(settings.models).flatMap(({ auth }) => Object.keys(auth?.fields ?? {}))),
  ].sort();
  const hasFieldRules = Object.values(settings.models).some(({ auth }) => auth?.fields !== undefined);
  const closed = access === undefined ? [] : closedModels(models, settings);
  const open: RequestAccess = Object.freeze({ view: views.whole, rules: undefined });
  const isSame = !hasFieldRules && !rules.areSome && closed.length === 0;
  const find = async (request: Request): Promise<RequestAccess> => {
    const caller = callerOf(request);
    if (caller?.isSuperUser === true) return open;
    const viewable = access === undefined ? undefined : await viewableModels(request, models, closed, access);
    const roles = roleNames.filter((name) => caller?.roles.includes(name) === true);
    const view =
      hasFieldRules || viewable !== undefined ? views.of({ roles, isSuperUser: false, viewable }) : views.whole;
    return { view, rules: rules.areSome ? rules.of(request) : undefined };
  };
  return {
    whole: views.whole,
    find: async (request) => (isSame ? open : find(request)),
    step: isSame
      ? (request, _response, next) => {
          setAccess(request, open);
          next();
        }
      : async (request, _response, next) => {
          setAccess(request, await find(request));
          next();
        },
  };
}

interface ClosedModel {
  readonly name: string;
  readonly access: AuthenticationConfig;
}

/** The models that not everyone may list. */
function closedModels(models: Models, { models: configs }: ModelRouterSettings): readonly ClosedModel[] {
  return [...models.values()].flatMap(({ name, resource }) => {
    const access = operationAccess("findMany", resource, configs[name]?.auth);
    return access === false ? [] : [{ name, access }];
  });
}

/** @returns `undefined` when the caller may view all models */
async function viewableModels(
  request: Request,
  models: Models,
  closed: readonly ClosedModel[],
  access: ModelAccess,
): Promise<ReadonlySet<string> | undefined> {
  const answers = closed.map((model) => access.allows(request, model.access));
  const settled = answers.some((answer) => answer instanceof Promise) ? await Promise.all(answers) : answers;
  const refused = new Set(closed.flatMap(({ name }, index) => (settled[index] === true ? [] : [name])));
  return refused.size === 0 ? undefined : new Set([...models.keys()].filter((name) => !refused.has(name)));
}

const key = Symbol("servicekit.modelAccess");

function setAccess(request: Request, access: RequestAccess): void {
  Object.defineProperty(request, key, { value: access, configurable: true });
}

/**
 * What the caller of this request may see.
 *
 * @throws {TypeError} outside a generated route: nobody has found it out
 */
export function accessOf(request: Request): RequestAccess {
  const access = (request as Request & { readonly [key]?: RequestAccess })[key];
  if (access === undefined) throw new TypeError("Nobody has found out what the caller of this request may see.");
  return access;
}

/** A model as the caller of this request sees it. */
export function callersResource(request: Request, { model }: Resource): Resource {
  const resource = accessOf(request).view.resources.get(model.name);
  if (resource === undefined) throw new TypeError(`There is no resource of ${model.name}.`);
  return resource;
}

/**
 * The rows of a model that the caller may read: what a connect, an include or a filter through a relation may reach
 * (contract C13, C30).
 *
 * @returns a filter, `true` for all rows, `false` for a model that the caller may not view
 */
export async function readableWhere(request: Request, modelName: string): Promise<Where | boolean> {
  const access = accessOf(request);
  if (access.view.viewable?.has(modelName) === false) return false;
  return (await readable(access, modelName)) ?? true;
}

/** Whether every caller may read every row of every model that this request can name. */
export function readsAll(request: Request): boolean {
  const { view, rules } = accessOf(request);
  return rules === undefined && view.viewable === undefined;
}

function readable({ view, rules }: RequestAccess, name: string): Where | undefined | Promise<Where | undefined> {
  if (view.viewable?.has(name) === false) return noRow(view.models.get(name) as Model);
  return rules?.rows(name, "findMany");
}

/** The filter of the rows that an operation of this request may reach; `undefined` for all. */
export const reachableWhere = (
  request: Request,
  { model }: Resource,
  operation: Operation,
): Where | undefined | Promise<Where | undefined> => accessOf(request).rules?.rows(model.name, operation);

/** What guards filters and reads of this request; `undefined` where no rule holds. */
export function guardOf(request: Request): GuardContext | undefined {
  const access = accessOf(request);
  if (access.rules === undefined) return undefined;
  return { models: access.view.models, readable: (name) => readable(access, name) };
}
