/** The server that mails are handed to (specification, "email"). */
export interface MailerSettings {
  /** Name or address of the SMTP server. */
  readonly host: string;
  /** @default 465 */
  readonly port?: number;
  /**
   * TLS from the first byte. With `false` the connection is upgraded (STARTTLS) before the password is sent; only a
   * server on this machine may do without.
   *
   * @default true
   */
  readonly secure?: boolean;
  readonly auth: { readonly user: string; readonly pass: string };
  /** The name that receivers read before the address. */
  readonly name?: string;
  /** The certificate of an authority (PEM) to trust in place of the public ones, for a server inside a company. */
  readonly ca?: string;
}

/** Time limits in milliseconds. */
export interface MailerLimits {
  /** Reaching the server, and its first words. @default 10000 */
  readonly connect?: number;
  /** One mail from `send` to the server's word that it took it, waiting for a connection included. @default 60000 */
  readonly send?: number;
}
