import type { Transporter } from "nodemailer";
import { checkMail } from "./check-mail.js";
import type { Mail } from "./mail.js";
import { MailError } from "./mail-error.js";
import { senderOf } from "./sender-of.js";
import type { MailerLimits, MailerSettings } from "./settings.js";
import { toMailError } from "./to-mail-error.js";

/** What the server said of a mail that it took. */
export interface SentMail {
  readonly messageId: string;
  readonly accepted: readonly string[];
  /** Receivers that the server refused while it took the mail for others. */
  readonly rejected: readonly string[];
}

/** Sends mails over one SMTP server. */
export interface Mailer {
  /**
   * Sends a mail; settles when the server has taken or refused it.
   *
   * @throws {MailError}
   */
  send(mail: Mail): Promise<SentMail>;
  /**
   * Connects and signs in, to see whether mails could be sent.
   *
   * @throws {MailError}
   */
  verify(): Promise<void>;
  /** Takes no more mails, waits for those under way, and closes the connections. */
  close(): Promise<void>;
}

/**
 * Makes a mailer. It connects at the first mail and keeps its connections for the next ones. Without settings it can be
 * made and passed around; `send` and `verify` then say which settings are missing.
 */
export function makeMailer(settings: MailerSettings | undefined, limits: MailerLimits = {}): Mailer {
  const { connect = 10_000, send = 60_000 } = limits;
  const running = new Set<Promise<unknown>>();
  let opened: Promise<Transporter> | undefined;
  let closed = false;

  /** Does something with the connection; every failure is a {@link MailError}. */
  async function use<Result>(act: (transport: Transporter, to: MailerSettings) => Promise<Result>): Promise<Result> {
    if (settings === undefined) throw notConfigured();
    if (closed) throw new MailError("Closed", "The mailer is closed.");
    opened ??= openTransport(settings, connect);
    const acting = opened.then((transport) => act(transport, settings));
    running.add(acting);
    try {
      return await acting;
    } catch (error) {
      throw toMailError(error, serverOf(settings));
    } finally {
      running.delete(acting);
    }
  }

  return {
    send: (mail) =>
      use(async (transport, to) => {
        const message = checkMail(mail, senderOf(to) ?? { address: to.auth.user });
        const { messageId, accepted, rejected } = await transport.sendMail({
          ...message,
          signal: AbortSignal.timeout(send),
        });
        return { messageId, accepted: (accepted ?? []).map(toText), rejected: (rejected ?? []).map(toText) };
      }),
    verify: () => use(async (transport) => void (await transport.verify())),
    close: async () => {
      closed = true;
      await Promise.allSettled(running);
      const transport = await opened?.catch(() => undefined);
      transport?.close();
    },
  };
}

/** nodemailer costs 50 ms to import, so that a service that never mails does not wait for it. */
async function openTransport(settings: MailerSettings, connect: number): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  const { host, port = 465, secure = true, auth, ca } = settings;
  return createTransport({
    pool: true,
    host,
    port,
    secure,
    // Without this a server, or whoever stands between, could ask for the password in the clear.
    requireTLS: !secure && !isThisMachine(host),
    auth: { user: auth.user, pass: auth.pass },
    tls: { minVersion: "TLSv1.2", ...(ca === undefined ? {} : { ca }) },
    dnsTimeout: connect,
    connectionTimeout: connect,
    greetingTimeout: connect,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

const serverOf = ({ host, port = 465 }: MailerSettings): string => `${host}:${port}`;

const isThisMachine = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/i.test(host);

const notConfigured = (): MailError =>
  new MailError(
    "NotConfigured",
    "No mail server is configured: set email.host, email.auth.user and email.auth.pass, or the environment variables EMAIL_HOST, EMAIL_USER and EMAIL_PASSWORD.",
  );

const toText = (receiver: string | { readonly address: string }): string =>
  typeof receiver === "string" ? receiver : receiver.address;
