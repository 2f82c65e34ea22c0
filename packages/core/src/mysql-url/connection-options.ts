/** The options of the driver that a URL sets. */
export interface ConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly socketPath?: string;
  readonly ssl?: { readonly rejectUnauthorized: boolean; readonly ca?: string };
  readonly allowPublicKeyRetrieval?: boolean;
}

const parameters: ReadonlySet<string> = new Set(["sslaccept", "sslcert", "socket", "allowPublicKeyRetrieval"]);

/**
 * Reads the URL of a MySQL or MariaDB database. It may have the parameters `sslaccept` (`strict` or
 * `accept_invalid_certs`), `sslcert` (the file with the certificate of the authority), `socket` (a Unix socket) and
 * `allowPublicKeyRetrieval=true`.
 *
 * @throws {TypeError} without a database, and for another parameter or value; the message does not contain the URL,
 *   which may include a password
 */
export function connectionOptions(url: string): ConnectionOptions {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const database = decodeURIComponent(parsed?.pathname.slice(1) ?? "");
  if (parsed?.protocol !== "mysql:" || database === "")
    throw new TypeError("The database URL is invalid. Expected mysql://user:password@host:3306/name.");
  const { hostname, port, username, password, searchParams } = parsed;
  const unknown = [...searchParams.keys()].find((name) => !parameters.has(name));
  if (unknown !== undefined) {
    const names = [...parameters].join(", ");
    throw new TypeError(`The database URL has the unknown parameter ${unknown}. Known parameters: ${names}.`);
  }
  const socketPath = searchParams.get("socket");
  const ssl = tlsOptions(searchParams.get("sslaccept"), searchParams.get("sslcert"));
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? 3306 : Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database,
    ...(socketPath === null ? {} : { socketPath }),
    ...(ssl === undefined ? {} : { ssl }),
    ...(searchParams.get("allowPublicKeyRetrieval") === "true" ? { allowPublicKeyRetrieval: true } : {}),
  };
}

function tlsOptions(accept: string | null, certificate: string | null): ConnectionOptions["ssl"] {
  if (accept === null && certificate === null) return undefined;
  if (accept !== null && accept !== "strict" && accept !== "accept_invalid_certs")
    throw new TypeError("The parameter sslaccept of the database URL is strict or accept_invalid_certs.");
  // Not imported statically, so that pages which only read errors do not need Node.
  const fs = process.getBuiltinModule("node:fs");
  const ca = certificate === null ? {} : { ca: fs.readFileSync(certificate, "utf8") };
  return { rejectUnauthorized: accept !== "accept_invalid_certs", ...ca };
}
