import { setMaxListeners } from "node:events";
import type { ChangeOrigin, ChangeReader, ChangeRetention, ChangeSignal, RetentionRule } from "@servicekit/changes";
import { changeModelName } from "@servicekit/changes/settings";
import { StartupError, type StartupIssue } from "@servicekit/core";
import type { ChangeFeed, HistorySource } from "@servicekit/model-router";
import { hasEvents, recordedModels } from "@servicekit/model-router/internal";
import type { ChangeLog, Model, Models } from "@servicekit/prisma";
import { callerOf } from "@servicekit/router";
import { traceIdOf } from "@servicekit/telemetry/internal";
import type { Request } from "express";
import type { Logger } from "pino";
import { makeRequestScope, type RequestScope } from "../request-scope.js";
import type { OpenDatabase } from "./database-types.js";
import { type NeededOptions, neededFrom } from "./needed-from.js";
import type { ServiceModules } from "./open-modules.js";
import { replayedChanges } from "./replayed-changes.js";

/** The change log of a service. */
export interface OpenChanges {
  /** The model that stores changes. */
  readonly model: Model;
  readonly log: ChangeLog;
  readonly scope: RequestScope;
  /** Reads committed changes in order. */
  readonly readerOf: (opened: OpenDatabase) => ChangeReader;
  /** The recorded changes of rows, for their histories. */
  readonly historyOf: (opened: OpenDatabase) => HistorySource;
  /** Deletes old changes; `undefined` if none is configured. */
  readonly retentionOf: (
    opened: OpenDatabase,
    needed: Pick<NeededOptions, "neededByJobs" | "maxLagDays">,
    logger: Logger,
  ) => ChangeRetention | undefined;
  /** Reports commits of changes; `undefined` if nothing follows them. */
  readonly signalOf: (opened: OpenDatabase, logger: Logger) => ChangeSignal | undefined;
  /** The changes as they are committed; `undefined` if no model has events. */
  readonly feedOf: (
    opened: OpenDatabase,
    signal: ChangeSignal,
    logger: Logger,
    /** Secrets of the configuration for the ids of events; without any, one in the database. */
    secrets: readonly string[],
  ) => OpenFeed | undefined;
}

/** The changes as they are committed, until the service stops. */
export interface OpenFeed {
  readonly feed: ChangeFeed;
  /** The number of open streams. */
  streams(): number;
  /** Ends all streams. */
  end(): void;
  /** Must precede the end of the database. */
  close(): Promise<void>;
}

/**
 * Opens the change log (contract C106) if a model has `changes: true`; the package is loaded only then.
 *
 * @param hasConsumers whether jobs of the service follow the changes
 * @throws {StartupError} if the schema lacks the model `Change`, or a model cannot be recorded
 */
export async function openChanges(
  models: Models,
  modules: ServiceModules,
  hasConsumers: boolean,
): Promise<OpenChanges | undefined> {
  const recorded = recordedModels(modules.models);
  if (recorded.length === 0) return undefined;
  const library = await import("@servicekit/changes");
  const issues = recorded.flatMap((name): StartupIssue[] => {
    const where = `models.${name}.changes`;
    if (name === changeModelName) return [{ where, message: "The change log does not record itself." }];
    if (models.get(name)?.key === undefined) return [{ where, message: `${name} has no key that identifies a row.` }];
    return [];
  });
  const model = library.readChangeModel(models);
  if (model === undefined) {
    const message = `requires a model ${changeModelName} in the schema. Run npx service generate changes.`;
    issues.push({ where: `models.${recorded[0]}.changes`, message });
  }
  if (model === undefined || issues.length > 0) throw new StartupError(issues);
  const scope = makeRequestScope();
  let signal: ChangeSignal | undefined;
  const isStreamed = Object.values(modules.models).some(hasEvents);
  const log = library.makeChangeLog({
    model,
    recorded: new Set(recorded),
    origin: () => originOf(scope),
    ...(isStreamed || hasConsumers ? { onCommit: () => signal?.committed() } : {}),
  });
  const readerOf = (opened: OpenDatabase): ChangeReader => {
    const { database, client, schema } = opened;
    return replayedChanges(
      library.makeChangeReader({ database, client, model, ...(schema === undefined ? {} : { schema }) }),
      opened,
    );
  };
  const historyOf = ({ database, matchStates }: OpenDatabase): HistorySource => ({
    // Before a write, such as that of an earlier state, they are those of the primary.
    ...library.makeRowHistory({ database, model }),
    matchStates,
  });
  const rules = recorded.flatMap((name): RetentionRule[] => {
    const { changes } = modules.models[name] ?? {};
    return typeof changes === "object" && changes.retention !== undefined
      ? [{ model: name, ...changes.retention }]
      : [];
  });
  const retentionOf: OpenChanges["retentionOf"] = ({ database, schema }, needed, logger) => {
    if (rules.length === 0) return undefined;
    const ignored = new Set<string>();
    const onIgnored = (consumer: string): void => {
      if (ignored.has(consumer)) return;
      ignored.add(consumer);
      const { maxLagDays } = needed;
      logger.error(
        { consumer, maxLagDays },
        `a consumer has not read changes for too long: the retention deletes them. If it does not exist any more, run npx service changes forget ${consumer}`,
      );
    };
    return library.makeChangeRetention({
      ...{ database, model, schema, rules },
      neededFrom: () => neededFrom(database, { ...needed, onIgnored }),
    });
  };
  const signalOf = ({ client, connections }: OpenDatabase, logger: Logger): ChangeSignal | undefined => {
    if (!isStreamed && !hasConsumers) return undefined;
    signal = library.makeChangeSignal({ client, connections, warn: (message) => logger.warn(message) });
    return signal;
  };
  const feedOf: OpenChanges["feedOf"] = (opened, commits, logger, secrets) => {
    if (!isStreamed) return undefined;
    const { database, matchStates, schema } = opened;
    const follower = library.makeChangeFollower({
      ...{ database, model, schema, signal: commits },
      reader: readerOf(opened),
      onError: (err) => logger.error({ err }, "the change log cannot be read for events"),
    });
    const closing = new AbortController();
    setMaxListeners(0, closing.signal);
    return {
      feed: {
        ...{ follow: follower.follow, matchStates, closing: closing.signal },
        secrets: async () => (secrets.length > 0 ? secrets : [await library.readStoredSecret({ database, model })]),
      },
      streams: follower.subscribers,
      end: () => closing.abort(),
      close: async () => {
        closing.abort();
        await follower.close();
      },
    };
  };
  return { model, log, scope, readerOf, historyOf, retentionOf, signalOf, feedOf };
}

function originOf(scope: RequestScope): ChangeOrigin {
  const request = scope.current();
  const job = scope.job();
  if (request === undefined) return { actor: job === undefined ? "system" : `job:${job}` };
  return { actor: actorOf(request), requestId: String(request.id), traceId: traceIdOf(request) };
}

function actorOf(request: Request): string {
  const caller = callerOf(request);
  if (caller === undefined) return "anonymous";
  if (caller.keyId !== undefined) return `key:${caller.keyId}`;
  return caller.identifiedBy === undefined ? `user:${caller.id}` : `external:${caller.identifiedBy}:${caller.id}`;
}
