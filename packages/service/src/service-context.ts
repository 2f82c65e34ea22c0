import type { Mailer } from "@servicekit/mailer";
import type { Database, PrismaClientLike } from "@servicekit/prisma";
import type { Logger } from "pino";

/** What a handler works with besides its request. */
export interface ServiceContext<Client extends PrismaClientLike = PrismaClientLike> {
  /** The Prisma client of `database.client`. */
  readonly client: Client;
  /** The same database by the service's models, whose errors are those of the generated routes. */
  readonly database: Database;
  readonly logger: Logger;
  readonly mailer: Mailer;
}

/** Gives the handler of a request what it works with. */
export type ContextOf<Client extends PrismaClientLike = PrismaClientLike> = (request: {
  readonly app: { readonly locals: Record<string, unknown> };
}) => ServiceContext<Client>;

/** What a service keeps of its context where there may be no database. */
export type KeptContext = Omit<ServiceContext, "client" | "database"> & Partial<ServiceContext>;

const key = "servicekit context";

/** Keeps the context of a service for {@link makeContext}. */
export function keepContext(app: { readonly locals: Record<string, unknown> }, context: KeptContext): void {
  app.locals[key] = Object.freeze({
    ...context,
    // Who asks for a database where none is configured is told so, and not that something is undefined.
    get client() {
      return context.client ?? missing("client");
    },
    get database() {
      return context.database ?? missing("database");
    },
  });
}

function missing(name: string): never {
  throw new Error(`The context has no ${name}: no database is configured.`);
}

/**
 * Makes the function that gives handlers what they work with, typed by your Prisma client. It knows no service: it asks the
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
    const kept = app.locals[key] as KeptContext | undefined;
    if (kept === undefined) throw new Error("This request is not handled by a service of @servicekit/service.");
    return kept as ServiceContext<Client>;
  };
}
