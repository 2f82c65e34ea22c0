import { once } from "node:events";
import type { AddressInfo } from "node:net";
import selfsigned from "selfsigned";
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";
import { onTestFinished } from "vitest";
import type { MailerSettings } from "../src/index.js";

/** An email as the server received it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly session: string;
  readonly secure: boolean;
}

export interface MailServer {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** All connections so far. */
  readonly sessions: Set<string>;
  /** Settings that the server accepts. */
  readonly settings: MailerSettings;
  readonly close: () => Promise<void>;
}

export const password = "a-very-secret-password";

/** A self-signed certificate for `localhost`, trusted only if it is passed as `ca`. */
export const certificate = selfsigned.generate([{ name: "commonName", value: "localhost" }], {
  keyType: "ec",
  algorithm: "sha256",
  extensions: [
    { name: "basicConstraints", cA: true },
    { name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] },
  ],
});

/** Starts a real SMTP server for the duration of the test, on a free port unless one is given. */
export async function startMailServer(options: SMTPServerOptions = {}, at = 0): Promise<MailServer> {
  const server = await openMailServer(options, at);
  onTestFinished(server.close);
  return server;
}

/** Starts a real SMTP server, which the caller closes. */
export async function openMailServer(options: SMTPServerOptions = {}, at = 0): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const sessions = new Set<string>();
  const { private: key, cert } = await certificate;
  const server = new SMTPServer({
    key,
    cert,
    logger: false,
    closeTimeout: 100,
    // Without TLS unless a test requests it.
    ...(options.secure ? {} : { disabledCommands: ["STARTTLS"], allowInsecureAuth: true }),
    onConnect: ({ id }: SMTPServerSession, done) => {
      sessions.add(id);
      done();
    },
    onAuth: (auth, _session, done) => {
      if (auth.username === "shop@example.com" && auth.password === password) done(null, { user: auth.username });
      else done(new Error("Invalid username or password"));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString(),
          session: session.id,
          secure: session.secure,
        });
        done();
      });
    },
    ...options,
  });
  server.on("error", () => {});
  const listener = server.listen(at, "localhost");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  const settings = { host: "localhost", port, secure: false, auth: { user: "shop@example.com", pass: password } };
  return { port, mails, sessions, settings, close };
}
