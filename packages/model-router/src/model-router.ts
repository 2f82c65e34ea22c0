import { makeFaultList } from "@servicekit/core/internal";
import type { Database, Model, Models } from "@servicekit/prisma";
import { callerOf, ServiceRouter } from "@servicekit/router";
import { joinRouters, type LogFault, type MountedRouter } from "@servicekit/router/internal";
import type { Request, RequestHandler } from "express";
import { isOutside } from "./access/conceal-keys.js";
import { grantsAll } from "./access/granted-fields.js";
import type { ModelAccess } from "./access/operation-access.js";
import { makeAccess } from "./access/request-access.js";
import { writeRights } from "./access/write-rights.js";
import { closeBulk } from "./closed-bulk.js";
import { declareOperation, modelRoutes, type RouteSource } from "./declare-operation.js";
import { isOpen } from "./is-open.js";
import { type LeftOutRoute, lacking, openedInVain } from "./left-out.js";
import { hookName } from "./model-config/hook-names.js";
import type { ModelConfig } from "./model-config/model-config.js";
import { givenSchemas } from "./module-schemas/row-schemas.js";
import { makeTurns } from "./operations/dear-reads.js";
import type { KeeperOf } from "./pipeline/run-and-keep.js";
import { makeWritableModels, type UserFacts } from "./resource/body/writable-model.js";
import { configuredModels } from "./resource/configured-models.js";
import { isOffered } from "./resource/is-offered.js";
import { type Operation, operationNames, operations } from "./resource/operation.js";
import { resourcePaths } from "./resource/path.js";
import { checkModelConfigs, type ModelRouterSettings } from "./settings.js";
import { type TransformWrite } from "./writes/plan-row.js";
import { makeRowWriter } from "./writes/row-writer.js";

/** What the generated routes are made from. */
export interface ModelRouterOptions {
  readonly models: Models;
  readonly database: Database;
  readonly settings: ModelRouterSettings;
  /** Who decides over access; given where authentication is on: then each route declares `authentication` (contract C30). */
  readonly access?: ModelAccess;
  /**
   * Changes the data of every row on its way to the database, such as a clear password into its hash. Without it no body
   * sets the password of a user (contract C11).
   */
  readonly transformWrite?: TransformWrite;
  /**
   * Ends the sessions and keys of users who are not active; called before and after each write that suspends users or makes
   * them active again.
   */
  readonly endSuspended?: () => Promise<void>;
  /** What holds for the rows of users (contract C11, C13); `undefined` where no model stands for them. */
  readonly users: UserFacts | undefined;
  /** How many connections of the database there are; dear requests hold half of them. @default 10 */
  readonly poolSize?: number;
  /** Is told what a hook did that could no longer change the answer. */
  readonly log?: LogFault;
  /** What keeps the answer of a request in the transaction of its write (contract C49). */
  readonly keeperOf?: KeeperOf;
}

/** A model as one caller sees it. */
export interface VisibleModel {
  readonly model: Model;
  /** The names of the stored fields and relations that the caller can see. */
  readonly fields: ReadonlySet<string>;
  /** The names of the stored fields and relations that the caller's bodies may name. */
  readonly writable: ReadonlySet<string>;
  /** The operators by which the caller's lists can filter each stored field. */
  readonly operators: ReadonlyMap<string, readonly string[]>;
}

/** The router of all generated routes. */
export interface ModelRouter extends ServiceRouter {
  /** The models that the caller of a request may view, for routes that tell of them (contract C46). */
  visibleModels(request: Request): Promise<readonly VisibleModel[]>;
  /** The routes that are not there because no request could use them, to be told at start (contract C64). */
  readonly leftOut: readonly LeftOutRoute[];
}

/**
 * Makes the router of all generated routes: for each model the eight operations of the specification's table "Model
 * router", as ordinary declarations. Mount it at `/api`.
 *
 * @throws {StartError} for two models with one path, and for everything that is wrong with the models' configuration
 */
export function makeModelRouter(options: ModelRouterOptions): ModelRouter {
  checkModelConfigs(options.settings.models, options.models);
  return makeCheckedModelRouter(options);
}

/**
 * {@link makeModelRouter} for who has held the configuration against the models already, to tell its faults with others.
 *
 * @throws {StartError} for two models with one path, and for schemas that do not fit
 */
export function makeCheckedModelRouter(options: ModelRouterOptions): ModelRouter {
  const { database, settings, log, access, transformWrite, users, keeperOf } = options;
  // What everyone sees, and what each caller sees of it.
  const models = configuredModels(options.models, settings.models);
  const seen = makeAccess({ models, paths: resourcePaths(models), settings, access });
  const { resources } = seen.whole;
  // What bodies may set, and how rows are written.
  const hashesPassword = transformWrite !== undefined;
  const configOf = ({ name }: Model): ModelConfig => settings.models[name] ?? {};
  const writables = makeWritableModels(resources, models, {
    ...{ models: settings.models, users, hashesPassword },
    isOffered: (model, operation) => isOffered(model, operation, configOf(model)),
    hasHooks: (model, operation) =>
      (["before", "after"] as const).some((time) => configOf(model).hooks?.[hookName(time, operation)] !== undefined),
  });
  const writer = makeRowWriter({ writables, transformWrite, rightsOf: writeRights });
  const inTurn = makeTurns(options.poolSize ?? 10);
  // The routes, model by model.
  const routers: MountedRouter[] = [];
  const leftOut: LeftOutRoute[] = [];
  const faults = makeFaultList();
  const given = givenSchemas(resources, settings, faults);
  const source: RouteSource = {
    ...{ database, settings, access, users, log, given, faults, endSuspended: options.endSuspended },
    ...{ accessStep: seen.step, bodyView: seen.bodyView, resources, writables, writer, inTurn, keeperOf },
    documented: new Map(),
    filters: new Map(),
  };
  for (const resource of resources.values()) {
    const config = settings.models[resource.model.name] ?? {};
    const router = ServiceRouter();
    routers.push(["/", router]);
    // Before the generated routes, so that a route of the module goes first.
    if (config.router !== undefined) router.use(`/${resource.path}`, config.router as RequestHandler);
    const routes = modelRoutes(resource, source);
    const open = operationNames.filter((operation) => isOpen(operation, resource, settings));
    const lacks = new Map(
      open.map((operation) => [operation, lacking(operation, writables.get(resource.model.name), config)]),
    );
    const declared = open.filter((operation) => lacks.get(operation) === undefined);
    for (const lack of lacks.values()) {
      if (lack === undefined) continue;
      const fault = openedInVain(lack, config);
      if (fault === undefined) leftOut.push(lack);
      else faults.addAll([fault]);
    }
    const isSingle = (operation: Operation): boolean => operations[operation].suffix === "/:id";
    for (const operation of declared) if (!isSingle(operation)) declareOperation(router, operation, routes);
    closeBulk(router, resource, new Set(declared));
    for (const operation of declared) if (isSingle(operation)) declareOperation(router, operation, routes);
  }
  faults.throwIfAny();
  const isGranting = ({ name }: Model, field: string): boolean =>
    access !== undefined &&
    name === users?.model &&
    users.administered.includes(field) &&
    settings.models[name]?.writable?.includes(field) !== true;
  const visibleModels = async (request: Request): Promise<readonly VisibleModel[]> => {
    const { view } = await seen.find(request);
    const grants = grantsAll(callerOf(request));
    return [...view.resources.values()].flatMap(({ model, fields, relations, listed, operators }) => {
      if (view.viewable?.has(model.name) === false) return [];
      const { fields: set, relations: linked } = writables.get(model.name) ?? {};
      const named = [...(set?.keys() ?? []), ...(linked?.keys() ?? [])];
      return [
        {
          model,
          fields: new Set([...fields.keys(), ...relations.keys()]),
          writable: new Set(
            named.filter((name) => !isOutside(model, name, { models }) && (grants || !isGranting(model, name))),
          ),
          operators: new Map([...operators].filter(([name]) => listed.has(name))),
        },
      ];
    });
  };
  return Object.assign(ServiceRouter().use(joinRouters(routers)), { visibleModels, leftOut: Object.freeze(leftOut) });
}
