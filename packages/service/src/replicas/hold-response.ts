import type { ServerResponse } from "node:http";
import { recordEnd } from "@servicekit/router/internal";

type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Delays the headers of a response, and what is written after them, until they are complete.
 *
 * @param complete called with the first write; `undefined` if the response need not wait. Its promise does not reject.
 */
export function holdResponse(response: ServerResponse, complete: () => Promise<void> | undefined): void {
  const holder = response as unknown as Record<"end" | "flushHeaders" | "write" | "writeHead", Method>;
  const held: (() => unknown)[] = [];
  let state: "initial" | "held" | "passing" = "initial";
  const pass = (): void => {
    state = "passing";
    try {
      for (const call of held.splice(0)) call();
    } catch (error) {
      response.destroy(error as Error);
    }
  };
  const delay = (method: Method, result: (args: readonly unknown[]) => unknown): Method =>
    function delayed(this: unknown, ...args) {
      if (state === "initial" && !response.headersSent) {
        const returned = result(args);
        const completed = complete();
        if (completed === undefined) {
          state = "passing";
          return method.apply(this, args);
        }
        state = "held";
        held.push(() => method.apply(this, args));
        void completed.then(pass);
        return returned;
      }
      if (state !== "held") return method.apply(this, args);
      held.push(() => method.apply(this, args));
      return result(args);
    };
  const { end, flushHeaders, write, writeHead } = holder;
  Object.assign(holder, {
    end: delay(end, () => {
      recordEnd(response);
      return response;
    }),
    flushHeaders: delay(flushHeaders, () => undefined),
    write: delay(write, () => true),
    writeHead: delay(writeHead, ([status]) => {
      if (typeof status === "number") response.statusCode = status;
      return response;
    }),
  });
}
