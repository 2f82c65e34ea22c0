import { startTimeLimit } from "@servicekit/core/internal";
import type { Client } from "pg";
import { exactTypes } from "./exact-moments.js";
import { beginSession, type SessionSettings } from "./session.js";
import { boundStatements } from "./session-statements.js";
import { type AskedQuery, setPerTransaction } from "./set-per-transaction.js";
import { asTexts, TextQuery, type TextStatement } from "./text-query.js";

/** What the connections of a pool are made with. */
export interface SessionOptions {
  readonly settings: SessionSettings;
  /** Milliseconds until a connection is there. */
  readonly connectMs: number;
  /** Milliseconds until an answer is there; PostgreSQL ends a statement itself, before that. */
  readonly answerMs: number;
  /** Told when a statement that was prepared before the tables changed fails: it would for ever. */
  readonly onStaleStatement: () => void;
}

/** More than a service has shapes of queries that matter; each costs memory in every session. */
const mostPrepared = 300;

type Callback = (error?: Error | null) => void;

/**
 * A client of `pg` whose sessions are set, whose time limits count only time in which this process ran, and which works
 * through a pooler.
 *
 * After a time-out on our side the answer may still be on its way: in a transaction the connection would go back to the
 * pool with it, so it is ended.
 */
export function sessionClient(Base: typeof Client, options: SessionOptions): typeof Client {
  const { settings, connectMs, answerMs, onStaleStatement } = options;

  return class SessionClient extends Base {
    constructor(config?: ConstructorParameters<typeof Client>[0]) {
      super(config);
      let isPooled = false;
      const connect = super.connect.bind(this) as (callback: Callback) => void;
      const query = super.query.bind(this) as (config: object, values?: unknown, callback?: unknown) => unknown;

      const open = (callback: Callback): void => {
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
          beginSession(this, settings)
            .then((isBetween) => {
              isPooled = isBetween;
              this.off("error", onError);
              finish();
            })
            .catch((failure: Error) => {
              this.end().catch(() => undefined);
              finish(failure);
            });
        });
      };

      let keepFew: ((name: string) => void) | undefined;
      const send = ({ config, values, callback }: AskedQuery): void => {
        const { name } = config as { readonly name?: string };
        if (name !== undefined && name !== "") {
          keepFew ??= boundStatements(this, mostPrepared);
          keepFew(name);
        }
        if ((config as Partial<TextStatement>).types === asTexts)
          query(new TextQuery(config as unknown as TextStatement, callback));
        else query(config, values, callback);
      };
      const inTurn = oneAfterAnother((asked) => {
        if (isPooled) query(setPerTransaction(this, settings, asked));
        else send(asked);
      });

      const ask = ({ config, ...rest }: AskedQuery): void => {
        const { types } = config as Partial<TextStatement>;
        const asked = {
          ...rest,
          config: types === undefined || types === asTexts ? config : { ...config, types: exactTypes(types) },
        };
        let isTold = false;
        const callback: AskedQuery["callback"] = (error, result) => {
          stop();
          if (isTold) return;
          isTold = true;
          if (error && /cached plan must not change result type/.test(error.message)) onStaleStatement();
          asked.callback(error, result);
        };
        const stop = startTimeLimit(answerMs, () => {
          callback(new Error("Query read timeout"));
          this.end().catch(() => undefined);
        });
        inTurn({ ...asked, callback });
      };

      // As members: `pg` declares a form of each for every way to call it.
      Object.assign(this, {
        connect: (callback?: Callback) => promised(open, callback),
        query: (config: string | AskedQuery["config"], ...rest: unknown[]) => {
          if (typeof config !== "string" && "submit" in config) return query(config, ...rest);
          const whole = typeof config === "string" ? { text: config } : config;
          const [given] = rest;
          const values = Array.isArray(given) ? given : (whole.values as readonly unknown[] | undefined);
          const told = rest.find((one): one is AskedQuery["callback"] => typeof one === "function");
          return promised((callback) => ask({ config: whole, values: values ?? [], callback }), told);
        },
      });
    }
  };
}

/**
 * Sends a query when the one before has its outcome: in a transaction Prisma asks for several relations at once, and `pg`
 * takes one at a time.
 */
function oneAfterAnother(send: (asked: AskedQuery) => void): (asked: AskedQuery) => void {
  const waiting: AskedQuery[] = [];
  let isBusy = false;
  const begin = (asked: AskedQuery): void => {
    isBusy = true;
    send({
      ...asked,
      callback: (error, result) => {
        const next = waiting.shift();
        if (next === undefined) isBusy = false;
        else begin(next);
        asked.callback(error, result);
      },
    });
  };
  return (asked) => {
    if (isBusy) waiting.push(asked);
    else begin(asked);
  };
}

/** Tells a callback, or gives a promise where there is none. */
function promised<Told extends (error?: Error | null, result?: unknown) => void>(
  act: (callback: (error?: Error | null, result?: unknown) => void) => void,
  callback: Told | undefined,
): Promise<unknown> | undefined {
  if (callback !== undefined) {
    act(callback);
    return undefined;
  }
  return new Promise((resolve, reject) => {
    act((error, result) => (error ? reject(error) : resolve(result)));
  });
}
