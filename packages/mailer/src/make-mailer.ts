import type { Transporter } from "nodemailer";
import { checkMail } from "./check-mail.js";
import type { Mail } from "./mail.js";
import { MailError } from "./mail-error.js";
import { senderOf } from "./sender-of.js";
import type { MailerLimits, MailerSettings } from "./settings.js";
import { toMailError } from "./to-mail-error.js";

/** The server's reply to an accepted email. */
export interface SentMail {
  readonly messageId: string;
  readonly accepted: readonly string[];
  /** Recipients that the server rejected while it accepted the email for others. */
  readonly rejected: readonly string[];
}

/** Sends email through one SMTP server. */
export interface Mailer {
  /**
   * Sends an email; settles when the server has accepted or rejected it.
   *
   * @throws {MailError}
   */
  send(mail: Mail): Promise<SentMail>;
  /**
   * Connects and authenticates, to check whether email can be sent.
   *
   * @throws {MailError}
   */
  verify(): Promise<void>;
  /** Accepts no more emails, waits for pending ones, and closes the connections. */
  close(): Promise<void>;
}

/**
 * Creates a mailer. It connects at the first email and reuses its connections. Without settings it can be created and
 * passed around; `send` and `verify` then report which settings are missing.
 */
export function makeMailer(settings: MailerSettings | undefined, limits: MailerLimits = {}): Mailer {
  const { connect = 10_000, send = 60_000 } = limits;
  const running = new Set<Promise<unknown>>();
  let opened: Promise<Transporter> | undefined;
  let closed = false;

  /** Uses the connection; every failure is a {@link MailError}. */
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

/** nodemailer takes 50 ms to import, which a service that never sends email should not wait for. */
async function openTransport(settings: MailerSettings, connect: number): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  const { host, port = 465, secure = true, auth, ca } = settings;
  return createTransport({
    pool: true,
    host,
    port,
    secure,
    // Otherwise a server or an attacker on the network could request the password in clear text.
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
    "No mail server is configured. Set email.host, email.auth.user and email.auth.pass, or the environment variables EMAIL_HOST, EMAIL_USER and EMAIL_PASSWORD.",
  );

const toText = (receiver: string | { readonly address: string }): string =>
  typeof receiver === "string" ? receiver : receiver.address;
