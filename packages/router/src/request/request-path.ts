import type { IncomingMessage } from "node:http";
import parseurl from "parseurl";

/** The path of a request, parsed as Express does; `undefined` if its URL is invalid. */
export function requestPath(request: IncomingMessage): string | undefined {
  try {
    return parseurl(request)?.pathname ?? undefined;
  } catch {
    return undefined;
  }
}

/** The parameters of a path by name; a wildcard is the list of its segments. */
export type PathParams = Readonly<Record<string, string | readonly string[]>>;
