import type { PrismaMariaDb as MariaDb } from "@prisma/adapter-mariadb";
import { connectionOptions } from "@servicekit/core/internal";
import type { Connections, PoolState } from "../database/connections.js";
import type { AroundStatement } from "../database/watch-statements.js";
import type { Pool } from "./driver.js";
import { mariadbJsonEqual, mysqlJsonEqual, rewriteStatement } from "./rewrite-statement.js";
import { sessionStatements } from "./session-statements.js";
import { setUpConnections } from "./set-up-connections.js";

// An optional package: bundlers report a missing one only in a static import.
const { PrismaMariaDb } = await import("@prisma/adapter-mariadb").catch((error: unknown) => {
  throw error;
});

/** Options of `makeMysqlAdapter`. */
export interface MysqlSettings {
  /**
   * A URL such as `mysql://user:password@host:3306/name`. Parameters: `sslaccept` (`strict` or `accept_invalid_certs`),
   * `sslcert` (the file with the certificate of the authority), `socket` (a Unix socket) and `allowPublicKeyRetrieval=true`.
   */
  readonly url: string;
  /** Maximum number of connections. @default 10 */
  readonly poolSize?: number;
  readonly timeouts?: {
    /** Maximum wait for a connection, free or new, in milliseconds. @default 2000 */
    readonly poolWaitMs?: number;
    /** Maximum duration of one statement in milliseconds; MySQL limits only `SELECT` and waits for locks. @default 5000 */
    readonly statementMs?: number;
  };
  /** Wraps every statement, for example in a span; costs nothing if it is not set. */
  readonly aroundStatement?: AroundStatement | undefined;
}

/** A driver adapter for a Prisma client that exposes its connections. */
export interface MysqlAdapter extends MariaDb {
  /** For `makeDatabase`: the queries outside the Prisma client. */
  readonly connections: Connections;
  /** Returns the current numbers of connections of the pool. */
  poolState(): PoolState;
}

type Adapter = Awaited<ReturnType<MariaDb["connect"]>>;
type Query = Parameters<Adapter["queryRaw"]>[0];
type PoolConfig = Exclude<ConstructorParameters<typeof MariaDb>[0], string | { getConnection(): unknown }>;

/**
 * That of the handshake. With it the driver sends no statement to a new connection: it reports the failure of one as an
 * unhandled rejection.
 */
const collation = "utf8mb4_general_ci";

/** The server ends a statement itself; only on a dead connection does it last longer, by this many milliseconds. */
const linkGrace = 1_000;

/**
 * Creates a driver adapter for a Prisma client on MySQL or MariaDB, with strict values, times in UTC, the isolation level
 * `READ COMMITTED` and time limits for connecting, waiting and querying. Statements of Prisma sort NULL as PostgreSQL
 * does.
 *
 * @example
 * const client = new PrismaClient({ adapter: makeMysqlAdapter({ url: "mysql://root@localhost:3306/shop" }) });
 * @throws {TypeError} for a URL that is not the one of a database, and for an unknown parameter of it
 */
export function makeMysqlAdapter({ url, poolSize = 10, timeouts = {}, aroundStatement }: MysqlSettings): MysqlAdapter {
  const { poolWaitMs = 2_000, statementMs = 5_000 } = timeouts;
  const config: PoolConfig = {
    ...connectionOptions(url),
    collation,
    connectionLimit: poolSize,
    acquireTimeout: poolWaitMs,
    connectTimeout: poolWaitMs,
    socketTimeout: statementMs + linkGrace,
    minimumIdle: 1,
  };
  return new BoundMariaDb(
    config,
    (pool) => setUpConnections(pool, sessionStatements(statementMs), poolWaitMs),
    aroundStatement,
  );
}

class BoundMariaDb extends PrismaMariaDb implements MysqlAdapter {
  readonly connections: Connections;
  readonly #setUp: (pool: Pool) => void;
  readonly #around: MysqlSettings["aroundStatement"];
  #poolState: () => PoolState;

  constructor(config: PoolConfig, setUp: (pool: Pool) => void, around: MysqlSettings["aroundStatement"]) {
    super(config, config.database === undefined ? {} : { database: config.database });
    this.#setUp = setUp;
    this.#around = around;
    const size = config.connectionLimit ?? 10;
    this.#poolState = () => ({ size, used: 0, idle: 0, waiting: 0 });
    let probe: Promise<Adapter> | undefined;
    this.connections = {
      query: async (statement) => {
        probe ??= new PrismaMariaDb({ ...config, connectionLimit: 1 }).connect().then((adapter) => {
          setUp(adapter.underlyingDriver());
          return adapter;
        });
        return (await (await probe).underlyingDriver().query(statement)) as readonly unknown[];
      },
      end: async () => {
        const opened = await probe;
        probe = undefined;
        await opened?.dispose();
      },
    };
  }

  poolState(): PoolState {
    return this.#poolState();
  }

  override async connect(): Promise<Adapter> {
    const adapter = await super.connect();
    const pool = adapter.underlyingDriver();
    this.#setUp(pool);
    const { size } = this.#poolState();
    this.#poolState = () => ({
      size,
      used: pool.activeConnections(),
      idle: pool.idleConnections(),
      waiting: pool.taskQueueSize(),
    });
    const around = this.#around;
    const run = await makeRun(adapter, around).catch(async (error: unknown) => {
      await adapter.dispose();
      throw error;
    });
    const startTransaction = adapter.startTransaction.bind(adapter);
    return Object.assign(bind(adapter, run), {
      startTransaction: async (...given: Parameters<typeof startTransaction>) => {
        const start = () => startTransaction(...given);
        return bind(await (around === undefined ? start() : around("BEGIN", start)), run);
      },
    });
  }
}

type Run = <Result>(query: Query, execute: (query: Query) => Promise<Result>) => Promise<Result>;

/** Runs the statements of Prisma with the meaning that they have on PostgreSQL. */
async function makeRun(adapter: Adapter, around: MysqlSettings["aroundStatement"]): Promise<Run> {
  const prefix = `\`${adapter.getConnectionInfo?.().schemaName ?? ""}\`.`;
  const rows = await adapter.queryRaw({ sql: "SELECT VERSION()", args: [], argTypes: [] });
  const jsonEqual = /mariadb/i.test(String(rows.rows[0]?.[0])) ? mariadbJsonEqual : mysqlJsonEqual;
  return (query, execute) => {
    const statement = rewriteStatement(query, prefix, jsonEqual);
    return around === undefined ? execute(statement) : around(query.sql, () => execute(statement));
  };
}

function bind<Q extends Pick<Adapter, "queryRaw" | "executeRaw">>(queryable: Q, run: Run): Q {
  const queryRaw = queryable.queryRaw.bind(queryable);
  const executeRaw = queryable.executeRaw.bind(queryable);
  return Object.assign(queryable, {
    queryRaw: (query: Query) => run(query, queryRaw),
    executeRaw: (query: Query) => run(query, executeRaw),
  });
}
