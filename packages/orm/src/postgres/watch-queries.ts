/** What is used of a connection of `pg`. */
interface Connection {
  query: (...args: never[]) => unknown;
  end(): Promise<void>;
}

/**
 * Looks at the failures of a connection's queries.
 *
 * After a timeout on our side the answer may still be on its way: in a transaction the connection would go back to the
 * pool with it, so it is ended here. And a statement that was prepared before the tables changed fails for ever.
 */
export function watchQueries(connection: Connection, onStaleStatement: () => void): void {
  const query = connection.query.bind(connection) as (...args: unknown[]) => unknown;
  const look = (error: unknown): void => {
    if (!(error instanceof Error)) return;
    if (error.message === "Query read timeout") connection.end().catch(() => undefined);
    else if (/cached plan must not change result type/.test(error.message)) onStaleStatement();
  };
  connection.query = (...args: unknown[]) => {
    const callback = args.at(-1);
    if (typeof callback === "function") {
      args[args.length - 1] = (error: unknown, result: unknown) => {
        look(error);
        callback(error, result);
      };
    }
    const answer = query(...args);
    if (answer instanceof Promise) answer.catch(look);
    return answer;
  };
}
