import { makeIssueList } from "@servicekit/core/internal";
import {
  hiddenBodyParserIssues,
  joinRouters,
  makeNotFound,
  mayHideRouters,
  unboundBodyParser,
  unmountedRoutes,
} from "@servicekit/router/internal";
import { type LoadShedding, openLoadShedding, withOverload } from "@servicekit/server/internal";
import { openModelRouter } from "../parts/open-model-router.js";
import { corsHandlers } from "../pipeline/global-pipeline.js";
import { warnOfLostRevocations } from "../redis/warn-of-lost-revocations.js";
import { builtInPathIssues, builtInRouters } from "../routers/built-in-routers.js";
import { firstPage } from "../routers/first-page.js";
import { databaseCheck, type ReadinessCheck, redisCheck, replicaChecks } from "../routers/health-router.js";
import { checkDocs, type DocsContext } from "../routers/open-docs.js";
import { openMcp } from "../routers/open-mcp.js";
import { yieldTo } from "../routers/yield-to.js";
import type { BoundService } from "./bind-service-routes.js";

/** A service after the third phase: every router is mounted and every route is checked. */
export interface MountedService extends BoundService {
  /** What the OpenAPI document is made from. */
  readonly docs: DocsContext;
  readonly shedding: LoadShedding | undefined;
}

/**
 * Mounts the built-in and the application's routers and the error handlers, and checks the routes.
 *
 * @throws {StartupError} with all errors of the declared routes
 */
export async function mountRouters(service: BoundService): Promise<MountedService> {
  const { settings, logger, app, server, modules, opened, history, feed, commits, background } = service;
  const { auth, idempotency, uploads } = service;
  const { metrics, features, state, routes, used, errorHandlers, isForeign, mountPath } = service;
  const { database } = opened ?? {};
  const issues = makeIssueList();
  const table = routes.table();
  const shedding = openLoadShedding(settings.loadShedding, {
    table,
    pool: opened?.poolState,
    cors: await corsHandlers(settings.middlewares.cors, opened?.replicas !== undefined),
    countRejection: metrics && (() => metrics.countRejection("Overloaded")),
    onRejections: (rejected) =>
      logger.warn({ rejected, ...settings.loadShedding }, "overloaded: requests are rejected"),
  });
  const errorsOf = withOverload(routes.errorsOf, shedding);
  const { parametersOf } = routes;
  const docs: DocsContext = {
    settings,
    table,
    errorsOf,
    parametersOf,
    auth,
    logger,
    mountPath,
    webhooks: background.documents,
  };
  const modelRouter = openModelRouter(settings, {
    ...{ database, models: modules.models, auth, logger, idempotency, history, feed: feed?.feed },
    rowRoutes: background.rowRoutes,
    ...{ client: opened?.client, schema: opened?.schema },
  });
  modelRouter?.provideAccess(app);
  const mcp = await issues.during(() => openMcp({ ...docs, modelRouter, database, server }));
  const routers = await builtInRouters({
    ...docs,
    ...{ database, uploads, idempotency, modelRouter, background, feed, commits },
    checks: readinessChecks(service),
    isDraining: () => state.isDraining,
  });

  for (const handler of firstPage(settings, "/api")) app.use(handler);
  app.use(
    joinRouters([
      ...routers.map((mounted) => yieldTo(used.routers, mounted)),
      ...(mcp === undefined ? [] : [["/api", mcp] as const]),
      ...features.routers.map((router) => ["/", router] as const),
    ]),
  );
  if (used.routers.length > 0) app.use(...used.routers);
  // An application that mounts the service has its own first page.
  for (const show of firstPage(settings, "/"))
    app.use((request, response, next) => (isForeign(request) ? next() : show(request, response, next)));
  const mayEnter = auth?.router === undefined ? () => true : auth.allows;
  app.use(makeNotFound(table, { isForeign, mayEnter }));
  for (const handler of errorHandlers) app.use(handler);

  await issues.during(() => routes.check());
  // Tests leave routers unmounted on purpose.
  const unmounted = settings.nodeEnv === "test" ? [] : unmountedRoutes(app.router);
  const given = [...settings.use, ...settings.replacedRouters.values(), ...moduleRouters(service)];
  for (const router of given) issues.addAll(hiddenBodyParserIssues(router));
  if (given.some(mayHideRouters))
    for (const route of unmounted.flat()) issues.addAll(unboundBodyParser(route, "an object with a handle"));
  issues.addAll(builtInPathIssues(table, settings));
  await issues.during(() => checkDocs(table, settings));
  issues.throwIfAny();
  warnOfOmissions(service, unmounted);
  return { ...service, docs, shedding };
}

/** The routers of the modules of models. */
const moduleRouters = ({ modules }: BoundService): readonly object[] =>
  Object.values(modules.models).flatMap(({ router }) => router ?? []);

function readinessChecks({ settings, opened, redis, auth }: BoundService): readonly ReadinessCheck[] {
  return [
    ...(opened === undefined ? [] : [databaseCheck(opened.database, settings.root)]),
    ...replicaChecks(opened?.replicas?.states),
    ...(redis === undefined ? [] : [redisCheck(redis, auth?.needsRevocations === true)]),
  ];
}

/** Logs what is probably missing in the configuration or the program. */
function warnOfOmissions(
  { settings, logger, auth, redis }: BoundService,
  unmounted: ReturnType<typeof unmountedRoutes>,
): void {
  for (const { method, path, origin } of unmounted.flatMap(([first]) => first ?? [])) {
    logger.warn(
      `The router of ${method} ${path} (${origin.place}) is not mounted where the service can find it. Its routes return 404 unless a handler of yours calls it, and they are not documented. Pass it to use, or mount it in another router.`,
    );
  }
  if (settings.nodeEnv !== "production") return;
  if (auth === undefined) logger.warn(everythingOpen);
  else if (auth.needsRevocations) void warnOfLostRevocations(redis, logger);
}

const everythingOpen =
  "no authentication is configured: every route is open to everyone. Add the block `authentication`, with { enabled: false } if this is intended.";
