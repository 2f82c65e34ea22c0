import { describeFound } from "@servicekit/core/schema";

/**
 * Rejects what Express would reject without naming the route: an import that is undefined, for example because of a circular
 * import, or the result of a call in place of a handler.
 *
 * @param name method, path and place of the route, for the message
 * @throws {TypeError} if one of the handlers is not a function
 */
export function checkHandlers(handlers: readonly unknown[], name: string): void {
  const index = handlers.findIndex((handler) => typeof handler !== "function");
  if (index === -1) return;
  throw new TypeError(`${name}: handler ${index + 1}: found ${describeFound(handlers[index])}, expected a function.`);
}
