/** The pages of a list for the `Link` header (RFC 8288, contract C1). */
export type PageLinks = Readonly<Partial<Record<"first" | "prev" | "next" | "last", PageLink>>>;

/** A page by its number, or by the cursor before it. */
export type PageLink = { readonly page: number } | { readonly cursor: string };

/** Clients and proxies reject responses with much longer headers. */
const maxCharacters = 8192;

/**
 * The `Link` header of a list: the request's own URL with another page or cursor.
 *
 * @returns `undefined` if it would be too long, because a query of thousands of characters is in each link
 */
export function linkHeader(url: string, links: PageLinks): string | undefined {
  const [path = "", query = ""] = splitOnce(url, "?");
  const others = query.split("&").filter((pair) => pair !== "" && !/^(page|cursor)$/.test(nameOf(pair)));
  const header = Object.entries(links)
    .map(([relation, link]) => {
      const own = "page" in link ? `page=${link.page}` : `cursor=${encodeURIComponent(link.cursor)}`;
      const search = [...others, own].join("&");
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
