/**
 * Returns one path segment. A URL drops an empty one and resolves `.` and `..`, encoded or not, so that the request
 * would reach another resource, such as the list instead of a row.
 *
 * @throws {TypeError}
 */
export function pathSegment(segment: string): string {
  if (segment !== "" && segment !== "." && segment !== "..") return segment;
  throw new TypeError(`${JSON.stringify(segment)} cannot be a path segment, because it changes the path of the URL.`);
}

/**
 * Returns a path with its parameters filled in and encoded: `/orders/:id` and `{ id: 7 }` are `/orders/7`.
 *
 * @throws {TypeError} for a segment that is empty, `.` or `..`
 */
export const fillPath = (template: string, params: Readonly<Record<string, unknown>>): string =>
  template
    .split("/")
    .map((segment) => {
      const filled = segment.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(String(params[name])));
      return filled === segment ? segment : pathSegment(filled);
    })
    .join("/");

/** Other routes below the path of a model, which a server matches in any case, and unless their letters are encoded. */
const otherRoutes = /^(many|aggregate|events)$/i;

/**
 * Returns the path segment of a key: its values, each encoded, separated by commas (contract C7).
 *
 * @throws {TypeError} for a key that a path cannot contain
 */
export function rowSegment(key: unknown): string {
  const segment = [key]
    .flat()
    .map((value) => encodeURIComponent(String(value)))
    .join();
  const first = segment.charCodeAt(0).toString(16).toUpperCase();
  return otherRoutes.test(segment) ? `%${first}${segment.slice(1)}` : pathSegment(segment);
}
