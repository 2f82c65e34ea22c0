import { StartupError } from "@servicekit/core";
import { Router } from "express";

/**
 * Passes a pattern to Express, and reports a pattern of Express 4 with its place and its spelling in Express 5.
 *
 * @param name method and path, for the message
 * @throws {StartupError} in place of the error of Express's parser
 */
export function withPattern<Given>(path: unknown, name: string, place: string, give: () => Given): Given {
  try {
    return give();
  } catch (error) {
    if (typeof path !== "string" || isPattern(path)) throw error;
    const meant = inExpressFive(path);
    const hint = isPattern(meant) ? ` Did you mean ${JSON.stringify(meant)}?` : "";
    const text = error instanceof Error ? error.message : String(error);
    const message = `Express 5 does not accept the path ${JSON.stringify(path)}.${hint} Its error: ${text}`;
    // Express's text is in the message: a cause would be printed with its stack.
    throw new StartupError([{ where: `${name} (${place})`, message }]);
  }
}

function isPattern(path: string): boolean {
  try {
    Router().route(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * `/files/*` is `/files/*splat`, `/:id?` is `{/:id}`, and `/:id(\\d+)` is `/:id`, whose format `validation.params`
 * checks.
 */
function inExpressFive(path: string): string {
  return path
    .replace(/(:[A-Za-z_]\w*)\((?:[^()\\]|\\.)*\)/g, "$1")
    .replace(/([/.]?:[A-Za-z_]\w*)\?/g, "{$1}")
    .replace(/\(\.\*\)|\*(?![A-Za-z_"])/g, "*splat");
}
