/** The pages of a list for the `Link` header (RFC 8288, contract C1). */
export interface PageLinks {
  readonly parameter: "page" | "cursor";
  /** The parameter's value by relation: `first`, `prev`, `next`, `last`. */
  readonly targets: Readonly<Partial<Record<"first" | "prev" | "next" | "last", string>>>;
}

/** Clients and proxies reject responses with much longer headers. */
const maxCharacters = 8192;

/**
 * The `Link` header of a list: the request's own URL with another page or cursor.
 *
 * @returns `undefined` if it would be too long, because a query of thousands of characters is in each link
 */
export function linkHeader(url: string, { parameter, targets }: PageLinks): string | undefined {
  const [path = "", query = ""] = splitOnce(url, "?");
  const others = query.split("&").filter((pair) => pair !== "" && nameOf(pair) !== parameter);
  const header = Object.entries(targets)
    .map(([relation, value]) => {
      const search = [...others, `${parameter}=${encodeURIComponent(value)}`].join("&");
      return `<${headerSafe(`${path}?${search}`)}>; rel="${relation}"`;
    })
    .join(", ");
  return header.length > maxCharacters ? undefined : header;
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function nameOf(pair: string): string {
  const [name = ""] = splitOnce(pair, "=");
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** A client may have sent characters that would end the link early. */
const headerSafe = (url: string): string =>
  url.replace(/[^\x21-\x7e]|[<>"\\^`{|}]/g, (char) => encodeURIComponent(char));
