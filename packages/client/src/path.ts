/**
 * One segment of a path. A URL drops an empty one and resolves `.` and `..`, encoded or not: then the request would reach
 * another resource, such as the list in place of a row.
 *
 * @throws {TypeError}
 */
export function pathSegment(segment: string): string {
  if (segment !== "" && segment !== "." && segment !== "..") return segment;
  throw new TypeError(`${JSON.stringify(segment)} cannot be a segment of a path: a URL with it names something else.`);
}

/**
 * A path with its parameters filled in, each encoded: `/orders/:id` and `{ id: 7 }` are `/orders/7`.
 *
 * @throws {TypeError} for a segment that becomes empty, `.` or `..`
 */
export const fillPath = (template: string, params: Readonly<Record<string, unknown>>): string =>
  template
    .split("/")
    .map((segment) => {
      const filled = segment.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(String(params[name])));
      return filled === segment ? segment : pathSegment(filled);
    })
    .join("/");

/**
 * The segment that names a row: the values of its key, each encoded, with commas between them (contract C7).
 *
 * @throws {TypeError} for a key that no path can name
 */
export function rowSegment(key: unknown): string {
  const segment = [key].flat().map((value) => encodeURIComponent(String(value)));
  // The path of the bulk routes is not encoded: a row of that name is none of them.
  return segment.join() === "many" ? "%6Dany" : pathSegment(segment.join());
}
