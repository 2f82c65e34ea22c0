import { PrismaPg } from "@prisma/adapter-pg";
import type { Pool } from "pg";
import type { Connections, PoolState } from "../database/connections.js";
import type { SqlLink } from "../database/sql-link.js";
import { type AroundStatement, watchStatements } from "../database/watch-statements.js";
import { readConnectionString } from "./connection-string.js";
import { sendExactMoments } from "./exact-moments.js";
import { listen } from "./listen.js";
import { makeSqlLink } from "./make-sql-link.js";
import { bindPool, openPool, type PoolConfig, type PoolSessions } from "./open-pool.js";
import { sessionSettings } from "./session.js";
import { makeStatementNames, type StatementNames } from "./statement-names.js";
import { makeWritableHost } from "./writable-host.js";

/** Options of `makePostgresAdapter`. */
export interface PostgresSettings {
  /**
   * A connection string; its parameter `schema` sets the database schema, as for Prisma. It may name several hosts, as for
   * libpq: then the one that accepts writes is used, and another one when that changes.
   */
  readonly url: string;
  /** Maximum number of connections. @default 10 */
  readonly poolSize?: number;
  readonly timeouts?: {
    /** Maximum wait for a connection, free or new, in milliseconds. @default 2000 */
    readonly poolWaitMs?: number;
    /** Maximum duration of one statement in milliseconds. @default 5000 */
    readonly statementMs?: number;
  };
  /** Wraps every statement, for example in a span; costs nothing if it is not set. */
  readonly aroundStatement?: AroundStatement | undefined;
}

/** A driver adapter for a Prisma client that exposes its connections. */
export interface PostgresAdapter extends PrismaPg {
  /** For `makeDatabase`: the queries outside the Prisma client. */
  readonly connections: Connections;
  /** The connections of the pool. */
  readonly link: SqlLink;
  /**
   * Makes the pool before Prisma's first query, which then uses it: until that query Prisma need not load its query compiler.
   * Nothing connects yet.
   */
  open(): Promise<void>;
  /** Returns the current numbers of connections of the pool. */
  poolState(): PoolState;
}

/** PostgreSQL ends a statement itself; only on a dead connection does it last longer, by this many milliseconds. */
const linkGrace = 1_000;

/** The number of statements whose names are cached. */
const maxNames = 1_000;

/**
 * Creates a driver adapter for a Prisma client with time limits for connecting, waiting and querying (contract C43),
 * with prepared statements, whose lost connections never end the process, and which works through a pooler such as
 * PgBouncer in session and in transaction mode (contract C67).
 *
 * @example
 * const client = new PrismaClient({ adapter: makePostgresAdapter({ url: process.env.DATABASE_URL }) });
 */
export function makePostgresAdapter(settings: PostgresSettings): PostgresAdapter {
  const { poolSize = 10, timeouts = {}, aroundStatement } = settings;
  const { poolWaitMs = 2_000, statementMs = 5_000 } = timeouts;
  const { url, hosts } = readConnectionString(settings.url);
  const names = makeStatementNames(maxNames);
  const schema = new URL(url).searchParams.get("schema");
  return new BoundPrismaPg(
    { connectionString: url, max: poolSize, keepAlive: true },
    { ...(schema === null ? {} : { schema }), statementNameGenerator: ({ sql }) => names.nameOf(sql) },
    {
      settings: sessionSettings(url, statementMs),
      connectMs: poolWaitMs,
      responseMs: statementMs + linkGrace,
      onStaleStatement: names.renew,
      writable: hosts.length === 0 ? undefined : makeWritableHost(hosts),
    },
    aroundStatement,
    names,
  );
}

class BoundPrismaPg extends PrismaPg implements PostgresAdapter {
  readonly connections: Connections;
  readonly link: SqlLink;
  readonly #session: PoolSessions;
  readonly #aroundStatement: AroundStatement | undefined;
  /** What {@link open} has made and Prisma does not use yet. */
  #opened: ReturnType<PrismaPg["connect"]> | undefined;
  #pool: Pool | undefined;
  #poolState: () => PoolState;

  constructor(
    config: PoolConfig,
    options: ConstructorParameters<typeof PrismaPg>[1],
    session: PoolSessions,
    aroundStatement: AroundStatement | undefined,
    names: StatementNames,
  ) {
    super(config, options);
    this.#session = session;
    this.#aroundStatement = aroundStatement;
    this.#poolState = () => ({ size: config.max, used: 0, idle: 0, waiting: 0 });
    this.link = makeSqlLink(() => this.#pool, names, aroundStatement);
    let probe: Promise<Pool> | undefined;
    this.connections = {
      query: async (statement) => {
        probe ??= openPool({ ...config, max: 1, idleTimeoutMillis: 0 }, session);
        return (await (await probe).query(statement)).rows;
      },
      listen: async (channel, receive, onEnd) => {
        const pool = await openPool({ ...config, max: 1, idleTimeoutMillis: 0 }, session);
        return listen(pool, channel, receive, onEnd);
      },
      end: async () => {
        const pool = await probe;
        probe = undefined;
        const opened = this.#opened;
        this.#opened = undefined;
        await Promise.all([pool?.end(), opened?.then((adapter) => adapter.dispose())]);
      },
    };
  }

  async open(): Promise<void> {
    this.#opened ??= this.#connect();
    await this.#opened;
  }

  override connect(): ReturnType<PrismaPg["connect"]> {
    const connected = this.#opened ?? this.#connect();
    this.#opened = undefined;
    return connected;
  }

  async #connect(): ReturnType<PrismaPg["connect"]> {
    const adapter = sendExactMoments(await super.connect());
    this.#pool = adapter.underlyingDriver();
    this.#poolState = bindPool(this.#pool, this.#session);
    return this.#aroundStatement === undefined ? adapter : watchStatements(adapter, this.#aroundStatement);
  }

  poolState(): PoolState {
    return this.#poolState();
  }
}
