import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Auth } from "@servicekit/auth";
import type { ChangeSignal } from "@servicekit/changes";
import { StartupError } from "@servicekit/core";
import { makeIssueList } from "@servicekit/core/internal";
import { type Mailer, makeMailer } from "@servicekit/mailer";
import type { HistorySource } from "@servicekit/model-router";
import { makeApp } from "@servicekit/router";
import { makeIdleServer } from "@servicekit/router/internal";
import { type ServerStop, watchConnections } from "@servicekit/server";
import type { WorkerLink } from "@servicekit/server/internal";
import { type Metrics, openMetrics, openTracing, type Tracing } from "@servicekit/telemetry";
import type { Uploads } from "@servicekit/uploads";
import type { Express } from "express";
import type { Logger } from "pino";
import type { ReadSettings, ServiceSettings } from "../config/settings.js";
import { urlOf } from "../config/url-of.js";
import { debugRequests } from "../logging/debug-requests.js";
import { loggedPath } from "../logging/logged-path.js";
import { openLogger } from "../logging/make-logger.js";
import { checkDependentIssues } from "../parts/check-dependent-issues.js";
import type { OpenDatabase } from "../parts/database-types.js";
import { loadJobs } from "../parts/load-jobs.js";
import { openAuth } from "../parts/open-auth.js";
import { type Background, noBackground, openBackground } from "../parts/open-background.js";
import { type OpenFeed, openChanges } from "../parts/open-changes.js";
import { openDatabase } from "../parts/open-database.js";
import { type OpenIdempotency, openIdempotency } from "../parts/open-idempotency.js";
import type { ServiceModules } from "../parts/open-modules.js";
import { openUploads } from "../parts/open-uploads.js";
import { providerIssues } from "../parts/provider-issues.js";
import { readSchema } from "../parts/read-schema.js";
import { startRetention } from "../parts/start-retention.js";
import { makeTenantCheck, type TenantCheck } from "../parts/tenant-columns.js";
import { type Feature, type Features, joinFeatures } from "../pipeline/feature.js";
import { warnOfProxies } from "../pipeline/warn-of-proxies.js";
import { openRedis, type Redis } from "../redis/open-redis.js";
import { openShared, type Shared } from "../redis/open-shared.js";
import { makeTransactionScope } from "../transaction-scope.js";

/** What the phases share that changes while the service runs. */
export interface ServiceState {
  /** Whether the service reports that it is not ready. */
  isDraining: boolean;
  /** Whether the service accepts no more requests. */
  isStopping: boolean;
}

/** A service after the first phase: everything that it works with is open, and no route exists yet. */
export interface OpenedService {
  readonly settings: ServiceSettings;
  readonly logger: Logger;
  readonly state: ServiceState;
  readonly app: Express;
  /** Receives no requests before the phase that gives it the application. */
  readonly server: Server;
  readonly connections: ServerStop;
  /** The URL of the service: with the port that the server listens on, or the configured one before that. */
  readonly url: () => string;
  readonly modules: ServiceModules;
  readonly opened: OpenDatabase | undefined;
  readonly tenantCheck: TenantCheck;
  /** The recorded changes of rows. */
  readonly history: HistorySource | undefined;
  /** The jobs and subscribers, which run as soon as they are started. */
  readonly background: Background;
  /** The changes as they are committed. */
  readonly feed: OpenFeed | undefined;
  /** Reports commits of recorded changes; `undefined` if nothing follows them. */
  readonly commits: ChangeSignal | undefined;
  readonly mailer: Mailer;
  readonly redis: Redis | undefined;
  readonly shared: Shared | undefined;
  readonly auth: Auth | undefined;
  readonly idempotency: OpenIdempotency | undefined;
  readonly uploads: Uploads;
  readonly metrics: Metrics | undefined;
  /** The handlers of the parts, and how to close all of them. */
  readonly features: Features;
}

/**
 * Opens the logger, the database, Redis, authentication, uploads and metrics.
 *
 * @throws {StartupError} with all errors of the configuration, the models and the modules
 */
export async function openResources(read: ReadSettings, worker: WorkerLink | undefined): Promise<OpenedService> {
  const open: Feature[] = [];
  try {
    return await openAll(read, worker, open);
  } catch (error) {
    // An error of closing must not hide the startup errors.
    await Promise.allSettled(joinFeatures(open).release());
    throw error;
  }
}

/** @param open receives what must be released, as soon as it is open */
async function openAll(
  { settings, issues: known }: ReadSettings,
  worker: WorkerLink | undefined,
  open: Feature[],
): Promise<OpenedService> {
  const issues = makeIssueList(known);
  const logger = await openLogger(settings, worker);
  for (const warning of settings.warnings) logger.warn(warning);
  const tenantCheck = makeTenantCheck(settings.tenant);
  const { models, modules } = await readSchema(settings, logger, issues, tenantCheck);
  const jobs = await loadJobs(settings, issues);
  if (issues.all.length > 0) await checkDependentIssues(settings, { models, modules }, issues);
  issues.addAll(providerIssues(models, modules.models, settings));
  issues.throwIfAny();

  const app = makeApp();
  const server = openServer(app, settings);
  const url = (): string => urlOf(settings.host, (server.address() as AddressInfo | null)?.port ?? settings.port);
  const tracing = await openTracing({ name: "@servicekit/service", pathOf: loggedPath });
  const { aroundStatement, aroundRedis, aroundStorage } = tracing ?? {};
  const { cache, webhooks } = settings;
  const hasSubscribers = Object.keys(modules.subscribers ?? {}).length > 0;
  const hasConsumers = hasSubscribers || webhooks !== undefined || cache !== undefined;
  const changes = await openChanges(models, modules, hasConsumers);
  const transactions = jobs.length === 0 ? undefined : makeTransactionScope();
  const opened =
    settings.database === undefined
      ? undefined
      : await openDatabase(settings.database, models, settings, {
          ...{ configs: modules.models, logger, aroundStatement },
          changes: changes?.log,
          aroundTransaction: transactions?.around,
          onCommit: transactions?.committed,
        });
  const { database } = opened ?? {};
  if (database !== undefined) tenantCheck.use(database);
  const commits = opened && changes?.signalOf(opened, logger);
  const secrets = settings.authentication?.jwt.secrets ?? [];
  const feed = opened && commits && changes?.feedOf(opened, commits, logger, secrets);
  let stopRetention = async (): Promise<void> => undefined;
  open.push({
    release: async () => {
      await feed?.close();
      await commits?.close();
      await stopRetention();
      await database?.disconnect();
    },
  });
  const mailer = openMailer(settings, tracing);
  open.push({ release: () => mailer.close() });
  const redis =
    settings.redisUrl === undefined ? undefined : await openRedis(settings.redisUrl, logger, {}, aroundRedis);
  open.push({ release: () => redis?.close() });
  const shared = await openShared(redis, worker);
  const auth = await issues.during(() =>
    openAuth({ settings, database, logger, mailer, shared, module: modules.auth }),
  );
  open.push({ release: () => auth?.close() });
  const idempotency = await issues.during(() => openIdempotency({ settings, database, redis, auth, logger }));
  const uploads = await issues.during(() =>
    openUploads(settings, { auth, module: modules.fileUpload, logger, url, aroundStorage }),
  );
  let background = noBackground;
  const { metrics: metricsSettings } = settings;
  const metrics =
    metricsSettings &&
    (await issues.during(() =>
      openMetrics(metricsSettings, {
        poolState: opened?.poolState,
        replicas: opened?.replicas?.states,
        passwords: auth && (() => auth.passwordLoad()),
        isRedisUp: redis && (() => redis.isUp()),
        workers: worker,
        hasWebhooks: settings.webhooks !== undefined,
        ...(jobs.length > 0 || hasConsumers ? { jobCounts: () => background.counts() } : {}),
        ...(hasConsumers ? { consumerLags: () => background.lags() } : {}),
        ...(feed === undefined ? {} : { eventStreams: feed.streams }),
      }),
    ));
  background =
    (await issues.during(() =>
      openBackground({
        ...{ settings, models, modules, opened, logger, mailer, jobs, transactions },
        ...{ changes, commits, hasConsumers },
        onRun: metrics?.observeJob,
        countWebhook: (outcome) => metrics?.countWebhook(outcome),
      }),
    )) ?? noBackground;
  open.push({ release: () => background.close() });
  stopRetention = startRetention(
    {
      changes:
        opened &&
        changes?.retentionOf(
          opened,
          { neededByJobs: background.firstNeededChange, maxLagDays: settings.jobs.maxLagDays },
          logger,
        ),
      deliveries: background.retention,
      sessions: auth?.deleteExpired && { run: auth.deleteExpired },
      "idempotency keys": idempotency?.retention,
    },
    logger,
  );
  const features = joinFeatures([
    metrics ?? {},
    tracing ?? {},
    { handlers: changes === undefined ? [] : [changes.scope.handler] },
    { handlers: warnOfProxies(settings.trustProxy, logger) },
    { matched: opened?.replicas === undefined ? [] : [opened.replicas.consistency.handler] },
    { matched: debugRequests(settings.debugging.requests ?? {}, logger) },
    ...open,
  ]);
  if (uploads === undefined || issues.all.length > 0) throw new StartupError(issues.all);
  return {
    ...{ settings, logger, app, server, url, modules, opened, mailer, redis, shared, tenantCheck },
    history: opened && changes?.historyOf(opened),
    ...{ feed, commits },
    ...{ auth, idempotency, uploads, metrics, background, features },
    state: { isDraining: false, isStopping: false },
    connections: watchConnections(server),
  };
}

function openServer(app: Express, { timeouts }: ServiceSettings): Server {
  // The time limit of a request is enforced by the steps, which respond to it.
  const server = makeIdleServer(app, { requestTimeout: 0, headersTimeout: timeouts.headers });
  server.keepAliveTimeout = timeouts.keepAlive;
  return server;
}

function openMailer({ email }: ServiceSettings, tracing: Tracing | undefined): Mailer {
  const mailer = makeMailer(email);
  return tracing === undefined ? mailer : { ...mailer, send: (mail) => tracing.aroundMail(() => mailer.send(mail)) };
}
