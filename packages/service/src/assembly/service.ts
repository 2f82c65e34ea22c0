import type { Server } from "node:http";
import type { JobSender, Queues } from "@servicekit/jobs";
import type { Mailer } from "@servicekit/mailer";
import type { OpenApiDocument } from "@servicekit/openapi";
import type { Database } from "@servicekit/prisma";
import type { FetchHandler } from "@servicekit/server";
import type { Express } from "express";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";

/** An assembled service (contract C40). */
export interface Service {
  readonly app: Express;
  readonly server: Server;
  /**
   * Responds to a request of the Fetch standard as the server would, whether it listens or not (contract C74): for hosts
   * such as Next or Hono, for cloud functions, and for tests.
   *
   * @example
   * const response = await service.fetch(new Request("http://localhost/api/products?limit=3"));
   */
  readonly fetch: FetchHandler;
  /**
   * Serves the metrics of `metrics.port`; `undefined` without one. `service.init` listens with it too; a host that listens
   * itself does so with both. It is closed with the service.
   */
  readonly metricsServer: Server | undefined;
  /** The configuration from all sources with all defaults. */
  readonly config: ServiceSettings;
  /** The database of the generated routes, for your own handlers; `undefined` when none is configured. */
  readonly database: Database | undefined;
  readonly logger: Logger;
  /** Sends email through the server of the `email` settings. Without them, sending fails with the names of the missing keys. */
  readonly mailer: Mailer;
  /** Sends the jobs of `src/jobs`. */
  readonly jobs: JobSender;
  /** The queues of jobs, with their numbers and failed jobs; `undefined` without jobs and subscribers. */
  readonly jobQueues: Queues | undefined;
  /**
   * Runs jobs and subscribers in this process until the service is closed. `service.init` does so, and tests and hosts
   * that listen themselves call it.
   *
   * @throws {StartupError} if pg-boss is not installed, or the database user may not create its tables
   */
  runJobs(): Promise<void>;
  /**
   * Hashes a password as sign-up does, for a seed or your own programs.
   *
   * @throws {Error} when no authentication is configured
   */
  hashPassword(password: string): Promise<string>;
  /** The OpenAPI document of this service (contract C47), also when its documentation is not served. */
  openapi(): Promise<OpenApiDocument>;
  /**
   * Reports that it is not ready, continues for the delay, stops accepting connections, waits for running requests, and
   * disconnects from the database. A second call waits for the same end; without a delay it ends the delay of the first call.
   */
  close(times?: CloseTimes): Promise<void>;
}

/** The times of a shutdown, in milliseconds. */
export interface CloseTimes {
  /** How long it continues to serve while it reports that it is not ready, so that load balancers stop using it. @default 0 */
  readonly delay?: number;
  /** Maximum duration of running requests after that. @default `shutdown.drain` of the configuration */
  readonly drain?: number;
}
