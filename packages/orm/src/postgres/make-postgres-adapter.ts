import { PrismaPg } from "@prisma/adapter-pg";
import { makeStatementNames } from "./statement-names.js";
import { watchQueries } from "./watch-queries.js";

export interface PostgresSettings {
  /** A connection string; its parameter `schema` names the database schema, as for Prisma. */
  readonly url: string;
  /** The most connections at a time. @default 10 */
  readonly poolSize?: number;
  readonly timeouts?: {
    /** Milliseconds to wait for a connection, free or new. @default 2000 */
    readonly poolWaitMs?: number;
    /** Milliseconds that one statement may take. @default 5000 */
    readonly statementMs?: number;
  };
}

/** PostgreSQL ends a statement itself; only a link that is dead lasts longer than that, by this many milliseconds. */
const linkGrace = 1_000;

/** More than a service has shapes of queries that matter; each costs memory in every connection. */
const mostNamedStatements = 300;

/**
 * Makes a driver adapter for a Prisma client on which connecting, waiting and querying have time limits (contract
 * C43), statements are prepared, and a lost connection never ends the process.
 *
 * @example
 * const client = new PrismaClient({ adapter: makePostgresAdapter({ url: process.env.DATABASE_URL }) });
 */
export function makePostgresAdapter({ url, poolSize = 10, timeouts = {} }: PostgresSettings): PrismaPg {
  const { poolWaitMs = 2_000, statementMs = 5_000 } = timeouts;
  const names = makeStatementNames(mostNamedStatements);
  const schema = new URL(url).searchParams.get("schema");
  return new WatchedPrismaPg(
    {
      connectionString: withSession(url),
      max: poolSize,
      connectionTimeoutMillis: poolWaitMs,
      statement_timeout: statementMs,
      query_timeout: statementMs + linkGrace,
      keepAlive: true,
    },
    { ...(schema === null ? {} : { schema }), statementNameGenerator: ({ sql }) => names.nameOf(sql) },
    names.renew,
  );
}

/**
 * Prisma's adapter takes the wall clock of every `timestamptz` for UTC, whatever zone the session has. And PostgreSQL
 * takes a filter of many alternatives for expensive and compiles it first, which takes far longer than the query itself:
 * without that it stays under the time limit of a statement. The URL may say `-c jit=on` all the same.
 */
function withSession(url: string): string {
  const whole = new URL(url);
  const given = whole.searchParams.get("options");
  const options = ["-c jit=off", ...(given === null ? [] : [given]), "-c TimeZone=UTC"];
  whole.searchParams.set("options", options.join(" "));
  return whole.href;
}

class WatchedPrismaPg extends PrismaPg {
  readonly #onStaleStatement: () => void;

  constructor(
    config: ConstructorParameters<typeof PrismaPg>[0],
    options: ConstructorParameters<typeof PrismaPg>[1],
    onStaleStatement: () => void,
  ) {
    super(config, options);
    this.#onStaleStatement = onStaleStatement;
  }

  override async connect(): ReturnType<PrismaPg["connect"]> {
    const adapter = await super.connect();
    adapter.underlyingDriver().on("connect", (client) => watchQueries(client, this.#onStaleStatement));
    return adapter;
  }
}
