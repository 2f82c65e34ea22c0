import { startTimeLimit } from "@servicekit/core/internal";
import type { Client } from "pg";
import type { HostAddress } from "./connection-string.js";
import { exactTypes } from "./exact-moments.js";
import { beginSession, type SessionSettings } from "./session.js";
import { limitStatementsOf } from "./session-statements.js";
import { type PoolQuery, setPerTransaction } from "./set-per-transaction.js";
import { asTexts, TextQuery, type TextStatement } from "./text-query.js";
import { acceptsWrites, probeHost, type WritableHost } from "./writable-host.js";

/** The options of a pool's connections. */
export interface SessionOptions {
  /** `undefined` leaves them to the users of the session. */
  readonly settings: SessionSettings | undefined;
  /** Milliseconds until a connection is open. */
  readonly connectMs: number;
  /** Milliseconds until a response; PostgreSQL ends a statement itself before that. */
  readonly responseMs: number;
  /** Whether a statement may last longer than {@link responseMs} while its server accepts writes. @default false */
  readonly isUnlimited?: boolean;
  /** Called if a statement fails because it was prepared before the tables changed: it would always fail. */
  readonly onStaleStatement: () => void;
  /** The host to connect to, among several; `undefined` connects to that of the configuration. */
  readonly writable?: WritableHost | undefined;
  /** Called if a write fails because the server is read-only. */
  readonly onReadOnly: () => void;
}

/** More than the distinct queries of a typical service; each costs memory in every session. */
const maxPrepared = 300;

/** PostgreSQL's code for a write in a transaction that is read-only, as on a standby. */
const readOnlyTransaction = "25006";

type Callback = (error?: Error | null) => void;

/**
 * A client of `pg` with session settings and time limits that count only time in which this process ran, and which
 * works through a pooler.
 *
 * After a timeout in this process the response may still arrive: in a transaction the connection would return to the pool
 * with it, so it is closed.
 */
export function sessionClient(Base: typeof Client, options: SessionOptions): typeof Client {
  const { settings, connectMs, responseMs, isUnlimited = false, onStaleStatement, writable, onReadOnly } = options;

  return class SessionClient extends Base {
    constructor(config?: ConstructorParameters<typeof Client>[0]) {
      super(config);
      let isPooled = false;
      const connect = super.connect.bind(this) as (callback: Callback) => void;
      const query = super.query.bind(this) as (config: object, values?: unknown, callback?: unknown) => unknown;

      let host: HostAddress | undefined;
      const lose = (): void => {
        if (host !== undefined) writable?.lose(host);
      };
      const open = (callback: Callback): void => {
        if (writable === undefined) {
          openHost(callback);
          return;
        }
        void writable
          .find((address) => probeHost(Base, config, address, connectMs))
          .then((address) => {
            host = address;
            Object.assign(this, address);
            openHost((error) => {
              if (error) lose();
              callback(error);
            });
          }, callback);
      };
      const openHost = (callback: Callback): void => {
        let isLate = false;
        const stop = startTimeLimit(connectMs, () => {
          isLate = true;
          this.connection.stream.destroy();
        });
        const finish: Callback = (error) => {
          stop();
          if (!error) callback(error);
          else
            callback(isLate ? new Error("Connection terminated due to connection timeout", { cause: error }) : error);
        };
        connect((error) => {
          if (error) return finish(error);
          const onError = (): void => undefined;
          this.on("error", onError);
          const begin = async (): Promise<void> => {
            if (settings !== undefined) isPooled = await beginSession(this, settings);
            if (writable !== undefined && !(await acceptsWrites(this)))
              throw new Error("Connection terminated: the server accepts no writes any more.");
          };
          begin()
            .then(() => {
              this.off("error", onError);
              finish();
            })
            .catch((failure: Error) => {
              this.end().catch(() => undefined);
              finish(failure);
            });
        });
      };

      let limitStatements: ((name: string) => void) | undefined;
      const send = ({ config, values, callback }: PoolQuery): void => {
        const { name } = config as { readonly name?: string };
        if (name !== undefined && name !== "") {
          limitStatements ??= limitStatementsOf(this, maxPrepared);
          limitStatements(name);
        }
        if ((config as Partial<TextStatement>).types === asTexts)
          query(new TextQuery(config as unknown as TextStatement, callback));
        else query(config, values, callback);
      };
      const inTurn = oneAfterAnother((next) => {
        if (isPooled && settings !== undefined) query(setPerTransaction(this, settings, next));
        else send(next);
      });

      /** Whether the server of this session responds to a new one, and accepts writes if it has to. */
      const isUsable = async (): Promise<boolean> => {
        const accepts = await probeHost(Base, config, host, connectMs).catch(() => false);
        if (!accepts) lose();
        return accepts;
      };

      // No callback refers to the query, because an old object may retain it (decision 0017).
      const run = ({ config, values, callback: receive }: PoolQuery): void => {
        const { types } = config as Partial<TextStatement>;
        const exact = types === undefined || types === asTexts ? config : { ...config, types: exactTypes(types) };
        let isOver = false;
        const callback: PoolQuery["callback"] = (error, result) => {
          stop();
          if (isOver) return;
          isOver = true;
          if (error && /cached plan must not change result type/.test(error.message)) onStaleStatement();
          if (error && (error as { readonly code?: unknown }).code === readOnlyTransaction) {
            lose();
            onReadOnly();
          }
          receive(error, result);
        };
        const fail = (): void => {
          if (isOver) return;
          callback(new Error("Query read timeout"));
          this.end().catch(() => undefined);
        };
        const limit = (): (() => void) =>
          startTimeLimit(responseMs, () => {
            if (!isUnlimited) return fail();
            void isUsable().then((usable) => {
              if (!usable) fail();
              else if (!isOver) stop = limit();
            });
          });
        let stop = limit();
        inTurn({ config: exact, values, callback });
      };

      // As members, because `pg` declares overloads of each.
      Object.assign(this, {
        connect: (callback?: Callback) => promised(open, callback),
        query: (config: string | PoolQuery["config"], ...rest: unknown[]) => {
          if (typeof config !== "string" && "submit" in config) return query(config, ...rest);
          const options = typeof config === "string" ? { text: config } : config;
          const [given] = rest;
          const values = Array.isArray(given) ? given : (options.values as readonly unknown[] | undefined);
          const receiver = rest.find((one): one is PoolQuery["callback"] => typeof one === "function");
          return promised((callback) => run({ config: options, values: values ?? [], callback }), receiver);
        },
      });
    }
  };
}

/**
 * Sends a query after the previous one has completed: in a transaction Prisma sends several concurrently, and `pg`
 * executes one at a time.
 */
function oneAfterAnother(send: (query: PoolQuery) => void): (query: PoolQuery) => void {
  const waiting: PoolQuery[] = [];
  let isBusy = false;
  const begin = ({ config, values, callback }: PoolQuery): void => {
    isBusy = true;
    send({
      config,
      values,
      callback: (error, result) => {
        const next = waiting.shift();
        if (next === undefined) isBusy = false;
        else begin(next);
        callback(error, result);
      },
    });
  };
  return (query) => {
    if (isBusy) waiting.push(query);
    else begin(query);
  };
}

/** Calls a callback, or returns a promise without one. */
function promised<Receiver extends (error?: Error | null, result?: unknown) => void>(
  act: (callback: (error?: Error | null, result?: unknown) => void) => void,
  callback: Receiver | undefined,
): Promise<unknown> | undefined {
  if (callback !== undefined) {
    act(callback);
    return undefined;
  }
  return new Promise((resolve, reject) => {
    act((error, result) => (error ? reject(error) : resolve(result)));
  });
}
