import type { Request, RequestHandler, Response } from "express";
import { isResponseEnded } from "../response/response-ended.js";

/** Receives errors of a hook after the response. */
export type LogError = (error: unknown, request: Request) => void;

/**
 * The hooks of one name as handlers of a route (contract C45), in order. A hook that responds ends the request: nothing
 * after it runs. A second `next`, and an error after the hook has called next or the response has ended, are only
 * logged.
 *
 * @param name the hook in messages, such as `beforeCreateOne of Post`
 * @param options.isStreamed whether the hooks also run after the response has started, for each part of it
 */
export function hookHandlers(
  hooks: unknown,
  name: string,
  log: LogError | undefined,
  { isStreamed = false }: { readonly isStreamed?: boolean } = {},
): RequestHandler[] {
  const list = [hooks].flat(Number.POSITIVE_INFINITY).filter((hook) => hook !== undefined) as RequestHandler[];
  return list.map((hook) => guardHook(hook, name, log, isStreamed));
}

function guardHook(hook: RequestHandler, name: string, log: LogError | undefined, isStreamed: boolean): RequestHandler {
  const isOver = ({ headersSent }: Response): boolean => headersSent && !isStreamed;
  return function runHook(request, response, next) {
    if (isOver(response)) return;
    let isCalled = false;
    const pass = (error?: unknown): void => {
      const isError = error !== undefined && error !== null && !isRouting(error);
      if (isCalled || (isError && isResponseEnded(response))) {
        log?.(isError ? error : new Error(`The hook ${name} called next twice.`), request);
        return;
      }
      isCalled = true;
      if (isError) next(error);
      else if (!isOver(response)) next(error);
    };
    try {
      const result: unknown = hook(request, response, pass);
      if (isThenable(result)) result.then(undefined, (reason: unknown) => pass(reason ?? withoutReason(name)));
    } catch (thrown) {
      pass(thrown ?? withoutReason(name));
    }
  };
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

const withoutReason = (name: string): Error => new Error(`The hook ${name} failed without a reason.`);

/** Values of `next` that Express takes for a direction, not for an error. */
const isRouting = (error: unknown): boolean => error === "route" || error === "router";
