import type { JobSender } from "@servicekit/jobs";
import type { Mailer } from "@servicekit/mailer";
import type { Database, PrismaClientLike, ReadDatabase } from "@servicekit/prisma";
import type { Logger } from "pino";

/** The context of a handler. */
export interface ServiceContext<Client extends PrismaClientLike = PrismaClientLike> {
  /** The Prisma client of `database.client`. */
  readonly client: Client;
  /** The same database by the service's models, with the errors of the generated routes. */
  readonly database: Database;
  /** Reads the same database; from a replica if there are any, with what the client of the request has written before. */
  readonly read: ReadDatabase<Client>;
  readonly logger: Logger;
  readonly mailer: Mailer;
  /** Sends the jobs of `src/jobs`. */
  readonly jobs: JobSender;
}

/** Returns the context of a request's handler. */
export type ContextOf<Client extends PrismaClientLike = PrismaClientLike> = (request: {
  readonly app: { readonly locals: Record<string, unknown> };
}) => ServiceContext<Client>;

/** The stored context of a service, possibly without a database. */
export type CachedContext = Omit<ServiceContext, "client" | "database" | "read"> & Partial<ServiceContext>;

const key = "servicekit context";

/** Stores the context of a service for {@link makeContext}. */
export function cacheContext(app: { readonly locals: Record<string, unknown> }, context: CachedContext): void {
  app.locals[key] = Object.freeze({
    ...context,
    // Accessing a database that is not configured throws a clear error.
    get client() {
      return context.client ?? missing("client");
    },
    get database() {
      return context.database ?? missing("database");
    },
    get read() {
      return context.read ?? missing("read");
    },
  });
}

function missing(name: string): never {
  throw new Error(`The context has no ${name}: no database is configured.`);
}

/**
 * Creates the function that returns the context of handlers, typed by your Prisma client. It reads the service from the
 * request, so routers can be written before there is one.
 *
 * @example
 * export const contextOf = service.context<PrismaClient>();
 * router.get({ path: "/books" }, async (request, response) => {
 *   response.json(await contextOf(request).client.book.findMany());
 * });
 */
export function makeContext<Client extends PrismaClientLike = PrismaClientLike>(): ContextOf<Client> {
  return ({ app }) => {
    const stored = app.locals[key] as CachedContext | undefined;
    if (stored === undefined) throw new Error("This request is not handled by a service of @servicekit/service.");
    return stored as ServiceContext<Client>;
  };
}
