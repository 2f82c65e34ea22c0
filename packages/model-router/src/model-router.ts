import { type IssueList, makeIssueList } from "@servicekit/core/internal";
import type { Database, Model, Models } from "@servicekit/prisma";
import { callerOf, ServiceRouter } from "@servicekit/router";
import { joinRouters, type LogError, type MountedRouter } from "@servicekit/router/internal";
import type { Request, RequestHandler } from "express";
import { checkSecrets } from "./access/check-secrets.js";
import { isOutside } from "./access/conceal-keys.js";
import { grantsAll } from "./access/granted-fields.js";
import type { ModelAccess } from "./access/operation-access.js";
import { makeAccess, provideAccess } from "./access/request-access.js";
import { writeRights } from "./access/write-rights.js";
import { checkCache } from "./caching/check-cache.js";
import { declareAggregate } from "./declarations/declare-aggregate.js";
import { declareEvents, makeEventRoutes } from "./declarations/declare-events.js";
import { declareHistory } from "./declarations/declare-history.js";
import { declareOperation } from "./declarations/declare-operation.js";
import { declareReplace } from "./declarations/declare-replace.js";
import { declareRestoreState } from "./declarations/declare-restore-state.js";
import { declareRowRoute, type RowRoute } from "./declarations/declare-row-route.js";
import { makeDeletions } from "./deletions/deletions.js";
import type { ChangeFeed } from "./events/change-feed.js";
import { type IndexHintOptions, makeIndexHints } from "./index-hints/index-hints.js";
import { checkPages } from "./model-config/check-pages.js";
import { hookName } from "./model-config/hook-names.js";
import type { ModelConfig } from "./model-config/model-config.js";
import { givenSchemas } from "./module-schemas/row-schemas.js";
import { checkFiles } from "./offered-routes/check-files.js";
import { closePaths } from "./offered-routes/closed-paths.js";
import { isOpen } from "./offered-routes/is-open.js";
import { lacking, type OmittedRoute, openedInVain } from "./offered-routes/left-out.js";
import { upsertRoutes } from "./offered-routes/upsert-routes.js";
import { makeSlots } from "./operations/expensive-reads.js";
import type { HistorySource } from "./operations/visible-changes.js";
import type { ResponseStoreOf } from "./pipeline/run-and-store.js";
import { makeWritableModels, type UserInfo, type WritableModel } from "./resource/body/writable-model.js";
import { configuredModels } from "./resource/config/configured-models.js";
import type { Counting } from "./resource/config/counting.js";
import { isOffered } from "./resource/config/is-offered.js";
import { type Operation, operationNames, operations } from "./resource/config/operation.js";
import { hasEvents, hasHistory } from "./resource/config/recorded-changes.js";
import { deletedField } from "./resource/config/soft-delete.js";
import { resourcePaths } from "./resource/path.js";
import { checkModelConfigs, type ModelRouterSettings } from "./settings.js";
import { modelRoutes, type RouteSource } from "./steps/route-source.js";
import { limitRows, type RowLimits } from "./writes/limit-rows.js";
import { type TransformWrite } from "./writes/plan-row.js";
import { makeRowWriter } from "./writes/row-writer.js";
import type { NewValues } from "./writes/write-scope.js";

/** The options of the generated routes. */
export interface ModelRouterOptions {
  readonly models: Models;
  readonly database: Database;
  readonly settings: ModelRouterSettings;
  /** Decides about access; set if authentication is on: then each route declares `authentication` (contract C30). */
  readonly access?: ModelAccess;
  /**
   * Transforms the data of every row before it is written, such as a plain-text password into its hash. Without it no
   * body sets the password of a user (contract C11).
   */
  readonly transformWrite?: TransformWrite;
  /**
   * Ends the sessions and keys of inactive users; called before and after each write that suspends or reactivates
   * users.
   */
  readonly endSuspended?: () => Promise<void>;
  /** The rules for rows of users (contract C11, C13); `undefined` if no model represents them. */
  readonly users: UserInfo | undefined;
  /** The values of new rows that no body sets, such as the tenant of the caller (contract C100). */
  readonly newValues?: NewValues<Request>;
  /** The maximum numbers of rows, on PostgreSQL (contract C112). */
  readonly rowLimits?: RowLimits;
  /** The number of database connections; expensive requests use half of them. @default 10 */
  readonly poolSize?: number;
  /** Receives errors of hooks after the response. */
  readonly log?: LogError;
  /** Stores the response of a request in the transaction of its write (contract C49). */
  readonly responseStoreOf?: ResponseStoreOf;
  /** The recorded changes of rows; needed by models with `changes: { history: true }` (contract C107). */
  readonly history?: HistorySource;
  /** Routes of single rows by the name of their model (contract C112). */
  readonly rowRoutes?: Readonly<Record<string, readonly RowRoute[]>>;
  /** Looks for indexes that lists lack, after their responses (contract C126); for development. */
  readonly indexHints?: IndexHintOptions;
  /** The changes as they are committed; needed by models with `changes: { events: true }` (contract C111). */
  readonly events?: ChangeFeed;
}

/** A model as one caller sees it. */
export interface VisibleModel {
  readonly model: Model;
  /** The names of the fields and relations that the caller may see. */
  readonly fields: ReadonlySet<string>;
  /** The names of the stored fields and relations that the caller's bodies may contain. */
  readonly writable: ReadonlySet<string>;
  /** The operators of each field in the caller's lists. */
  readonly operators: ReadonlyMap<string, readonly string[]>;
  /** How lists count their rows by default. */
  readonly counting: Counting;
}

/** The router of all generated routes. */
export interface ModelRouter extends ServiceRouter {
  /** The models that the caller of a request may view, for discovery routes (contract C46). */
  visibleModels(request: Request): Promise<readonly VisibleModel[]>;
  /** Makes `readableWhere` available in all routes of an application, and not only in hooks. */
  provideAccess(app: { readonly locals: Record<string, unknown> }): void;
  /** The omitted routes that no request could use, to be logged at startup (contract C64). */
  readonly leftOut: readonly OmittedRoute[];
}

/**
 * Creates the router of all generated routes: for each model the operations of the specification's table "Model
 * router", as ordinary declarations. Mount it at `/api`.
 *
 * @throws {StartupError} for two models with one path, and for all issues of the models' configuration
 */
export function makeModelRouter(options: ModelRouterOptions): ModelRouter {
  const { models, settings } = options;
  checkModelConfigs(settings.models, models);
  const issues = makeIssueList();
  for (const [name, { computed = {} }] of Object.entries(settings.models))
    for (const field of Object.keys(computed))
      if (options.database.models.get(name)?.fieldsByName.has(field) !== true)
        issues.add(`models.${name}.computed.${field}`, "Pass the result of computedModels to makeDatabase.");
  issues.throwIfAny();
  return makeCheckedModelRouter(options);
}

/**
 * {@link makeModelRouter} for callers that have validated the configuration, to report its issues with others.
 *
 * @throws {StartupError} for two models with one path, and for unsuitable schemas and page sizes
 */
export function makeCheckedModelRouter(options: ModelRouterOptions): ModelRouter {
  const { settings, log, access, transformWrite, users, responseStoreOf, newValues } = options;
  // The unrestricted view, and the view of each caller.
  const models = configuredModels(options.models, settings.models);
  const seen = makeAccess({ models, paths: resourcePaths(models), settings, access });
  const { resources } = seen.complete;
  // The settable fields of bodies, and the writing of rows.
  const hashesPassword = transformWrite !== undefined;
  const configOf = ({ name }: Model): ModelConfig => settings.models[name] ?? {};
  const writables = makeWritableModels(resources, models, {
    ...{ models: settings.models, users, hashesPassword },
    isOffered: (model, operation) => isOffered(model, operation, configOf(model)),
    ...(newValues === undefined ? {} : { newNames: newValues.names }),
    hasHooks: (model, operation) =>
      (["before", "after"] as const).some((time) => configOf(model).hooks?.[hookName(time, operation)] !== undefined),
  });
  const deletions = makeDeletions(models, settings.models);
  const rowLimits = options.rowLimits ?? {};
  const database = limitRows(deletions.locking(options.database), { limits: rowLimits, present: deletions.present });
  const writer = makeRowWriter({ writables, transformWrite, rightsOf: writeRights, newValues, deletions });
  const inTurn = makeSlots(options.poolSize ?? 10);
  // The routes, model by model.
  const routers: MountedRouter[] = [];
  const leftOut: OmittedRoute[] = [];
  const issues = makeIssueList();
  checkPages(settings.models, settings.page.max, issues);
  const given = givenSchemas(resources, settings, issues);
  const source: RouteSource = {
    ...{ database, settings, access, users, log, given, issues, endSuspended: options.endSuspended, newValues },
    ...{
      accessStep: seen.step,
      bodyView: seen.bodyView,
      resources,
      rowLimits,
      writables,
      writer,
      deletions,
      inTurn,
      indexHints: options.indexHints && makeIndexHints(options.indexHints),
      responseStoreOf,
    },
    documented: new Map(),
    filters: new Map(),
  };
  const events =
    options.events &&
    makeEventRoutes(options.events, {
      renew: seen.renew,
      limits: { max: settings.eventStreams, maxPerClient: settings.eventStreamsPerClient },
      poolSize: options.poolSize ?? 10,
    });
  for (const resource of resources.values()) {
    const config = settings.models[resource.model.name] ?? {};
    const router = ServiceRouter();
    routers.push(["/", router]);
    // Before the generated routes, so that a route of the module takes precedence.
    if (config.router !== undefined) router.use(`/${resource.path}`, config.router as RequestHandler);
    const routes = modelRoutes(resource, source);
    const open = operationNames.filter((operation) => isOpen(operation, resource, settings));
    const lacks = new Map(
      open.map((operation) => [operation, lacking(operation, writables.get(resource.model.name), config)]),
    );
    const declared = open.filter((operation) => lacks.get(operation) === undefined);
    for (const lack of lacks.values()) {
      if (lack === undefined) continue;
      const issue = openedInVain(lack, config);
      if (issue === undefined) leftOut.push(lack);
      else issues.addAll([issue]);
    }
    const isSingle = (operation: Operation): boolean => operations[operation].suffix === "/:id";
    const upserts = upsertRoutes(
      writables.get(resource.model.name) as WritableModel,
      declared,
      settings,
      users?.model,
      issues,
    );
    for (const operation of declared) {
      if (!isSingle(operation)) declareOperation(router, operation, routes, upserts.many);
    }
    if (config.aggregate === true && settings.strict !== true) {
      if (declared.includes("findMany")) declareAggregate(router, routes);
      else issues.add(`models.${resource.model.name}.aggregate`, "Aggregates require the list. Enable findMany.");
    }
    if (hasEvents(config) && settings.strict !== true) {
      const place = `models.${resource.model.name}.changes.events`;
      if (!declared.includes("findMany")) issues.add(place, "Events require the list. Enable findMany.");
      else if (events === undefined) issues.add(place, "Pass the option events to makeModelRouter.");
      else declareEvents(router, routes, events);
    }
    checkCache(routes, declared, issues);
    checkFiles(resource, config, declared, settings, issues);
    closePaths(router, resource, new Set(declared), upserts.one);
    for (const operation of declared) if (isSingle(operation)) declareOperation(router, operation, routes);
    if (upserts.one) declareReplace(router, routes);
    if (hasHistory(config) && settings.strict !== true) {
      if (!declared.includes("findOne"))
        issues.add(
          `models.${resource.model.name}.changes.history`,
          "A history requires reads of rows. Enable findOne.",
        );
      else if (options.history === undefined)
        issues.add(`models.${resource.model.name}.changes.history`, "Pass the option history to makeModelRouter.");
      else {
        declareHistory(router, routes, options.history);
        if (declared.includes("updateOne")) declareRestoreState(router, routes, options.history);
      }
    }
    for (const route of options.rowRoutes?.[resource.model.name] ?? [])
      if (declared.includes(route.accessOf) && settings.strict !== true) declareRowRoute(router, routes, route);
  }
  checkSecrets(models, settings, access !== undefined, issues);
  checkDeletedUsers(users, models, settings.models, issues);
  issues.throwIfAny();
  const isGranting = ({ name }: Model, field: string): boolean =>
    access !== undefined &&
    name === users?.model &&
    users.administered.includes(field) &&
    settings.models[name]?.writable?.includes(field) !== true;
  const visibleModels = async (request: Request): Promise<readonly VisibleModel[]> => {
    const { view } = await seen.find(request);
    const grants = grantsAll(callerOf(request));
    return [...view.resources.values()].flatMap(
      ({ model, fields, computed, relations, queryable, operators, counting }) => {
        if (view.viewable?.has(model.name) === false) return [];
        const { fields: set, relations: linked } = writables.get(model.name) ?? {};
        const named = [...(set?.keys() ?? []), ...(linked?.keys() ?? [])];
        return [
          {
            model,
            fields: new Set([...fields.keys(), ...computed.keys(), ...relations.keys()]),
            writable: new Set(
              named.filter((name) => !isOutside(model, name, { models }) && (grants || !isGranting(model, name))),
            ),
            counting,
            operators: new Map([...operators].filter(([name]) => queryable.has(name))),
          },
        ];
      },
    );
  };
  return Object.assign(ServiceRouter().use(joinRouters(routers)), {
    visibleModels,
    provideAccess: (app: { readonly locals: Record<string, unknown> }) => provideAccess(app, seen),
    leftOut: Object.freeze(leftOut),
  });
}

/** Authentication rejects users with this date. */
const usersDeletedAt = "deletedAt";

function checkDeletedUsers(
  users: UserInfo | undefined,
  models: Models,
  configs: ModelRouterSettings["models"],
  issues: IssueList,
): void {
  const model = models.get(users?.model ?? "");
  const field = model && deletedField(model, configs[model.name]);
  if (field === undefined || field.name === usersDeletedAt) return;
  const message = `Authentication rejects users with a date in ${usersDeletedAt}. Use this field, or remove softDelete.`;
  issues.add(`models.${users?.model}.softDelete.field`, message);
}
