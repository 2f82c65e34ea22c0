/** The address of a server. */
export interface HostAddress {
  readonly host: string;
  readonly port: number;
}

/** A connection string for `pg`, which supports one host. */
export interface ConnectionString {
  /** With the first host only. */
  readonly url: string;
  /** The hosts, of which the one that accepts writes is used; empty if the only host is used in any case. */
  readonly hosts: readonly HostAddress[];
}

const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/i;
const attribute = "target_session_attrs";
const supported = ["read-write", "primary"];

/**
 * Reads a connection string of PostgreSQL, which may name several hosts, as libpq does:
 * `postgresql://user@one:5432,two:5432/shop?target_session_attrs=read-write`.
 *
 * @throws {TypeError} for an invalid one; the message does not contain it
 */
export function readConnectionString(given: string): ConnectionString {
  const [, before = "", list = "", after = ""] = parts.exec(given) ?? [];
  const [first = "", ...others] = list.split(",");
  const single = before + first + after;
  if (before === "" || !URL.canParse(single)) throw new TypeError("is not a PostgreSQL URL.");
  const url = new URL(single);
  const wanted = url.searchParams.get(attribute);
  if (wanted === null && others.length === 0) return { url: given, hosts: [] };
  if (wanted !== null && !supported.includes(wanted))
    throw new TypeError(`has ${attribute}=${wanted}, but the service writes. Set it to read-write, or remove it.`);
  url.searchParams.delete(attribute);
  return { url: url.href, hosts: [first, ...others].map(readAddress) };
}

function readAddress(text: string): HostAddress {
  const address = `postgresql://${text}`;
  if (text === "" || !URL.canParse(address)) throw new TypeError("has an invalid host in its list of hosts.");
  const { hostname, port } = new URL(address);
  return { host: decodeURIComponent(hostname).replace(/^\[|\]$/g, ""), port: Number(port || 5432) };
}
