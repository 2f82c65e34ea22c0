/** The `Link` header of a list of pages (RFC 8288). */
export function pageLinks(url: string, page: number, pages: number): string {
  const [path = "", query = ""] = url.split("?");
  const others = query.split("&").filter((pair) => pair !== "" && !pair.startsWith("page="));
  const link = (relation: string, target: number): string =>
    `<${path}?${[...others, `page=${target}`].join("&")}>; rel="${relation}"`;
  return [
    link("first", 1),
    ...(page > 1 ? [link("prev", page - 1)] : []),
    ...(page < pages ? [link("next", page + 1)] : []),
    link("last", pages),
  ].join(", ");
}
