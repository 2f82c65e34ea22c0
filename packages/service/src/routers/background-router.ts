import { type HttpError, httpErrors } from "@servicekit/core";
import type { Queues } from "@servicekit/jobs";
import {
  type AccessConfig,
  type RouteConfig,
  type RouteDocumentation,
  ServiceRouter,
  sendJson,
} from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import type { Request, RequestHandler } from "express";
import { z } from "zod";
import { type BackgroundSources, readBackgroundState } from "./background-state.js";
import type { RouterContext } from "./router-context.js";

/**
 * The routes of the operators (contract C114): the state of the work besides requests, and the queues of jobs. In static mode
 * only superusers have access, in dynamic mode those with a stored permission for the resource `background`.
 *
 * @returns `undefined` without authentication, and without such work
 */
export function makeBackgroundRouter(context: RouterContext): ServiceRouter | undefined {
  const { auth, background, feed, commits, database, logger } = context;
  const { queues } = background;
  if (auth?.router === undefined || (queues === undefined && feed === undefined)) return undefined;
  const router = ServiceRouter();
  declareDetails(router, { background, feed, commits, database, logger });
  if (queues !== undefined) declareQueues(router, queues);
  return router;
}

/** What differs between the routes. */
interface Route {
  readonly method: "get" | "post" | "delete";
  readonly path: string;
  readonly operation: string;
  readonly action: "View" | "Retry" | "Delete";
  readonly validation?: RouteConfig["validation"];
  readonly documentation: RouteDocumentation;
}

const result = {
  description: "The result.",
  content: {
    "application/json": { schema: { type: "object", properties: { data: {}, meta: {} }, required: ["data"] } },
  },
};

function declare(router: ServiceRouter, route: Route, handler: RequestHandler): void {
  const { method, path, operation, action, validation = {}, documentation } = route;
  const authentication: AccessConfig = { resource: "background", action };
  declareRoute(router, {
    method,
    config: { path, authentication, validation: { body: false, ...validation } },
    handlers: [handler],
    origin: {
      place: `the route ${operation} of background work`,
      resource: "background",
      operation,
      documentation: () => ({
        tags: ["Background"],
        responses: method === "delete" ? { 204: { description: "Deleted." } } : { 200: result },
        ...documentation,
      }),
    },
  });
}

function declareDetails(router: ServiceRouter, sources: BackgroundSources): void {
  const documentation = {
    summary: "Get the state of jobs, subscribers, webhooks and event streams",
    description:
      "A part that cannot be read is null. The state is that of the process that responds, and of the database.",
  };
  const route = {
    method: "get",
    path: "/health/details",
    operation: "details",
    action: "View",
    documentation,
  } as const;
  declare(router, route, async (_request, response) => {
    response.setHeader("Cache-Control", "no-store");
    sendJson(response, 200, { data: await readBackgroundState(sources) });
  });
}

const jobId = z.guid();
const page = z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(20), after: jobId.optional() });
const notFound = [{ status: 404, code: "NotFound", description: "The queue or the job does not exist." }] as const;

function notFoundAt(path: "/queue" | "/id", message: string): HttpError {
  return httpErrors.NotFound(message, { errors: [{ in: "params", path, code: "NotFound", message }] });
}

const jobNotFound = (): HttpError => notFoundAt("/id", "The queue has no failed job with this id.");

function declareQueues(router: ServiceRouter, queues: Queues): void {
  /** The queue of a request. @throws {HttpError} 404 for an unknown one */
  const queueOf = ({ params }: Request): string => {
    const queue = String(params.queue);
    if (!queues.names.includes(queue)) throw notFoundAt("/queue", `There is no queue ${JSON.stringify(queue)}.`);
    return queue;
  };
  const idOf = ({ params }: Request): string => {
    const { success, data } = jobId.safeParse(params.id);
    if (!success) throw jobNotFound();
    return data;
  };
  const failed = "/job-queues/:queue/failed";
  declare(
    router,
    {
      ...{ method: "get", path: "/job-queues", operation: "findQueues", action: "View" },
      documentation: {
        summary: "List the queues of jobs with the numbers of their jobs by state",
        description: "Failed jobs are those whose retries are exhausted.",
      },
    },
    async (_request, response) => sendJson(response, 200, { data: await queues.counts() }),
  );
  declare(
    router,
    {
      ...{ method: "get", path: failed, operation: "findFailedJobs", action: "View", validation: { query: page } },
      documentation: {
        summary: "List the jobs of a queue that have failed for good",
        description: "The oldest first. `after` continues after the id of a job.",
        errors: notFound,
      },
    },
    async (request, response) => {
      const { limit, after } = request.query as unknown as z.output<typeof page>;
      const found = await queues.failed(queueOf(request), { limit: limit + 1, after });
      const data = found.slice(0, limit).map(({ key = null, ...job }) => ({ ...job, key }));
      sendJson(response, 200, { data, meta: { count: data.length, limit, hasMore: found.length > limit } });
    },
  );
  declare(
    router,
    {
      ...{ method: "post", path: `${failed}/retry`, operation: "retryFailedJobs", action: "Retry" },
      documentation: {
        summary: "Run all failed jobs of a queue again, with all retries",
        description: "Returns the number of jobs.",
        errors: notFound,
      },
    },
    async (request, response) =>
      sendJson(response, 200, { data: { retried: await queues.retryFailed(queueOf(request)) } }),
  );
  declare(
    router,
    {
      ...{ method: "post", path: `${failed}/:id/retry`, operation: "retryFailedJob", action: "Retry" },
      documentation: {
        summary: "Run a failed job again, with all retries",
        description: "Puts the job into its queue, with the same payload.",
        errors: notFound,
      },
    },
    async (request, response) => {
      const retried = await queues.retryFailed(queueOf(request), [idOf(request)]);
      if (retried === 0) throw jobNotFound();
      sendJson(response, 200, { data: { retried } });
    },
  );
  declare(
    router,
    {
      ...{ method: "delete", path: `${failed}/:id`, operation: "deleteFailedJob", action: "Delete" },
      documentation: { summary: "Delete a failed job", description: "It does not run again.", errors: notFound },
    },
    async (request, response) => {
      if (!(await queues.deleteFailed(queueOf(request), idOf(request)))) throw jobNotFound();
      response.status(204).end();
    },
  );
}
