/** Node's codes for a certificate that fails verification. */
const untrusted = /SELF_SIGNED|^CERT_|_CERT_|_CERT$|UNABLE_TO_(GET_ISSUER|VERIFY)|ERR_TLS_CERT/;

/** How to fix a connection that TLS, its absence, or the kind of the server prevents, for the log; `undefined` for another failure. */
export function connectionHint(error: unknown): string | undefined {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    const { code } = inner as NodeJS.ErrnoException;
    if (
      (typeof code === "string" && untrusted.test(code)) ||
      /self-signed certificate|unable to verify the first certificate/.test(inner.message)
    )
      return "The certificate of the database is not trusted. Set its authority in DATABASE_URL (sslmode=verify-full&sslrootcert=/path/ca.pem), or set sslmode=no-verify where the network is trusted.";
    const [, otherServer] = /^Connection terminated: (The server of the database URL is .*)/.exec(inner.message) ?? [];
    if (otherServer !== undefined) return otherServer;
    if (/does not support SSL connections/.test(inner.message))
      return "The database does not accept TLS. Remove sslmode from DATABASE_URL, or enable ssl in the database.";
    if (/RSA public key is not available/.test(inner.message))
      return "The password of this user needs TLS: set sslaccept=strict in DATABASE_URL, or allowPublicKeyRetrieval=true where the network is trusted.";
  }
  return undefined;
}
