import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import type { SMTPServerOptions } from "smtp-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Mail, MailError, type MailErrorCode, type Mailer, type MailerLimits, makeMailer } from "../src/index.js";
import { certificate, password, startMailServer } from "./mail-server.js";

const mail: Mail = { to: "ann@example.com", subject: "Hello", text: "Good morning." };

/** A mailer that is closed after the test. */
function open(settings: Parameters<typeof makeMailer>[0], limits?: MailerLimits): Mailer {
  const mailer = makeMailer(settings, limits);
  onTestFinished(() => mailer.close());
  return mailer;
}

async function errorOf(promise: Promise<unknown>, code: MailErrorCode): Promise<MailError> {
  const error: unknown = await promise.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(MailError);
  const failed = error as MailError;
  expect(failed.message).not.toContain(password);
  expect({ code: failed.code, message: failed.message }).toMatchObject({ code });
  return failed;
}

/** A server that runs `act` for each connection. */
async function startSocket(act: (socket: net.Socket) => void): Promise<number> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    act(socket);
  });
  await once(server.listen(0, "localhost"), "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe("send", () => {
  it("sends from the name and user of the settings, as text and HTML", async () => {
    const server = await startMailServer();
    const mailer = open({ ...server.settings, name: 'The "Chinook" Shop, Inc. ñ' });
    const sent = await mailer.send({ ...mail, html: "<p>Good morning.</p>" });
    expect(sent).toEqual({
      messageId: expect.stringMatching(/^<.+@.+>$/),
      accepted: ["ann@example.com"],
      rejected: [],
    });
    const [received] = server.mails;
    expect(received).toMatchObject({ from: "shop@example.com", to: ["ann@example.com"] });
    expect(received?.raw).toMatch(/^From: =\?UTF-8\?Q\?.*\?=\s+<shop@example\.com>/m);
    expect(received?.raw).toContain("Subject: Hello");
    expect(received?.raw).toContain("multipart/alternative");
  });

  it("sends from a separate address if the server accepts any user name", async () => {
    const onAuth: SMTPServerOptions["onAuth"] = ({ username }, _session, done) => done(null, { user: username });
    const server = await startMailServer({ onAuth });
    const settings = { ...server.settings, auth: { user: "apikey", pass: password } };
    await open({ ...settings, from: "shop@example.com", name: "The Shop" }).send(mail);
    expect(server.mails[0]?.raw).toContain("From: The Shop <shop@example.com>");
  });

  it("sends to several, in to, cc and bcc, with a reply address, another sender and files", async () => {
    const server = await startMailServer();
    await open(server.settings).send({
      ...mail,
      from: { name: "Support", address: "support@example.com" },
      to: ["ann@example.com", { name: "Bob", address: "bob@example.com" }],
      cc: "cid@example.com",
      bcc: ["dan@example.com"],
      replyTo: "help@example.com",
      attachments: [
        { filename: "a.txt", content: "text" },
        { filename: "b.bin", content: new Uint8Array([1, 2, 3]), contentType: "application/x-thing" },
      ],
    });
    const [received] = server.mails;
    expect(received?.to).toEqual(["ann@example.com", "bob@example.com", "cid@example.com", "dan@example.com"]);
    expect(received?.raw).toContain("From: Support <support@example.com>");
    expect(received?.raw).toContain("Reply-To: help@example.com");
    expect(received?.raw).not.toContain("dan@example.com");
    expect(received?.raw).toContain("filename=a.txt");
    expect(received?.raw).toContain("application/x-thing");
    expect(received?.raw).toContain("AQID");
  });

  it("treats every text literally: nothing is a template, a header or a command", async () => {
    const server = await startMailServer();
    const text = "{{user.password}} #{process.env} <%= 1 %>\r\n.\r\nQUIT\r\nBcc: eve@example.com\r\n.";
    await open(server.settings).send({ ...mail, subject: "{{x}} =?UTF-8?Q?y?=", text });
    const [received] = server.mails;
    expect(received?.to).toEqual(["ann@example.com"]);
    expect(received?.raw).toContain(text.trimEnd());
    expect(received?.raw.split("\r\n\r\n")[0]).not.toContain("Bcc");
  });

  it("uses one connection for consecutive emails, and several for concurrent ones", async () => {
    const server = await startMailServer();
    const mailer = open(server.settings);
    for (let i = 0; i < 5; i++) await mailer.send(mail);
    expect(server.sessions.size).toBe(1);
    await Promise.all(Array.from({ length: 40 }, (_, i) => mailer.send({ ...mail, subject: `Mail ${i}` })));
    expect(server.mails).toHaveLength(45);
    expect(new Set(server.mails.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1])).size).toBe(41);
    expect(server.sessions.size).toBeLessThanOrEqual(5);
  });

  it("connects at the first email, not before", async () => {
    const server = await startMailServer();
    const mailer = open(server.settings);
    // The server accepts connections in their order: an earlier one would be counted by now.
    const socket = net.connect(server.port, "localhost");
    await once(socket, "data");
    socket.destroy();
    expect(server.sessions.size).toBe(1);
    await mailer.send(mail);
    expect(server.sessions.size).toBe(2);
  });

  it("reconnects after the server was unavailable", async () => {
    const first = await startMailServer();
    const mailer = open(first.settings);
    await mailer.send(mail);
    await first.close();
    await errorOf(mailer.send(mail), "Unreachable");
    const again = await startMailServer({}, first.port);
    await expect(mailer.send(mail)).resolves.toMatchObject({ accepted: ["ann@example.com"] });
    expect(again.mails).toHaveLength(1);
  });
});

describe("without settings", () => {
  it("can be created, and reports the missing keys when used", async () => {
    const mailer = makeMailer(undefined);
    for (const use of [mailer.send(mail), mailer.verify()]) {
      const { message } = await errorOf(use, "NotConfigured");
      expect(message).toContain("email.host, email.auth.user and email.auth.pass");
      expect(message).toContain("EMAIL_HOST, EMAIL_USER and EMAIL_PASSWORD");
    }
    await expect(mailer.close()).resolves.toBeUndefined();
  });
});

describe("an invalid email", () => {
  it.each<[string, object]>([
    ["a header in the subject", { subject: "Hi\r\nBcc: eve@example.com" }],
    ["a line break in the subject", { subject: "Hi\nthere" }],
    ["a Unicode line break in the subject", { subject: "Hi\u2028there" }],
    ["a NUL in the subject", { subject: "Hi\0" }],
    ["a header in an address", { to: "ann@example.com\r\nBcc: eve@example.com" }],
    ["a header in a name", { to: { name: "Ann\r\nBcc: eve@example.com", address: "ann@example.com" } }],
    ["a header in replyTo", { replyTo: "a@example.com\nX: y" }],
    ["a header in from", { from: { name: "A\nX: y", address: "a@example.com" } }],
    ["two receivers in one text", { to: "ann@example.com, eve@example.com" }],
    ["two receivers with a semicolon", { to: "ann@example.com;eve@example.com" }],
    ["a group", { to: "friends: ann@example.com, eve@example.com;" }],
    ["an address in brackets", { to: "Ann <eve@example.com>" }],
    ["an address with parameters", { to: "ann@example.com> NOTIFY=NEVER" }],
    ["an address without a place", { to: "ann" }],
    ["an empty address", { to: "" }],
    ["no recipient", { to: [] }],
    ["no receiver", { to: undefined }],
    ["null", { to: null }],
    ["a list in a list", { to: [["ann@example.com"]] }],
    ["a number", { to: 3 }],
    ["a huge address", { to: `${"a".repeat(300)}@example.com` }],
    ["a text that is a file", { text: { path: "/etc/passwd" } }],
    ["an HTML that is a URL", { html: { href: "http://localhost/" } }],
    ["a file that is a path", { attachments: [{ filename: "a", path: "/etc/passwd" }] }],
    ["a header in a filename", { attachments: [{ filename: "a\r\nX: y", content: "" }] }],
    ["a header in a content type", { attachments: [{ filename: "a", content: "", contentType: "a/b\r\nX: y" }] }],
    ["no subject", { subject: undefined }],
  ])("InvalidMail: %s", async (_, issue) => {
    const mailer = makeMailer({ host: "localhost", port: 1, auth: { user: "shop@example.com", pass: password } });
    await errorOf(mailer.send({ ...mail, ...issue } as Mail), "InvalidMail");
  });

  it("passes on known fields only", async () => {
    const server = await startMailServer();
    const more = { headers: { "X-Evil": "1" }, raw: "raw", envelope: { to: ["eve@example.com"] } };
    await open(server.settings).send({ ...mail, ...more });
    expect(server.mails[0]?.to).toEqual(["ann@example.com"]);
    expect(server.mails[0]?.raw).not.toContain("X-Evil");
  });

  it("reports that a user name which is not an address requires a from", async () => {
    const mailer = makeMailer({ host: "localhost", port: 1, auth: { user: "apikey", pass: password } });
    const { message } = await errorOf(mailer.send(mail), "InvalidMail");
    expect(message).toContain("give the settings a from");
  });
});

describe("a server that rejects it", () => {
  it("AuthenticationFailed: a wrong password", async () => {
    const server = await startMailServer();
    const mailer = open({ ...server.settings, auth: { user: "shop@example.com", pass: "wrong-password" } });
    const error = await errorOf(mailer.send(mail), "AuthenticationFailed");
    expect(error.message).toContain(`localhost:${server.port} rejected the user name or password`);
    expect(error.message).not.toContain("wrong-password");
    expect(error.cause).toMatchObject({ code: "EAUTH" });
    await errorOf(mailer.verify(), "AuthenticationFailed");
  });

  it("Refused: an unknown recipient; others of the same email receive it", async () => {
    const server = await startMailServer({
      onRcptTo: ({ address }, _session, done) =>
        done(address.startsWith("gone") ? Object.assign(new Error("No such mailbox"), { responseCode: 550 }) : null),
    });
    const mailer = open(server.settings);
    const error = await errorOf(mailer.send({ ...mail, to: "gone@example.com" }), "Refused");
    expect(error.message).toContain("No such mailbox");
    await expect(mailer.send({ ...mail, to: ["gone@example.com", "ann@example.com"] })).resolves.toMatchObject({
      accepted: ["ann@example.com"],
      rejected: ["gone@example.com"],
    });
  });

  it("Refused: an email that is too large or rejected", async () => {
    const server = await startMailServer({
      onData: (stream, _session, done) => {
        stream.resume();
        stream.on("end", () => done(Object.assign(new Error("Looks like spam"), { responseCode: 554 })));
      },
    });
    const error = await errorOf(open(server.settings).send(mail), "Refused");
    expect(error.message).toContain("Looks like spam");
  });

  it("Unreachable: no server listens, or the host does not exist", async () => {
    const port = await startSocket((socket) => socket.destroy());
    await errorOf(
      open({ host: "localhost", port: 1, secure: false, auth: { user: "a@b.c", pass: password } }).send(mail),
      "Unreachable",
    );
    await errorOf(
      open({ host: "no-such-host.invalid", auth: { user: "a@b.c", pass: password } }).send(mail),
      "Unreachable",
    );
    await errorOf(
      open({ host: "localhost", port, secure: false, auth: { user: "a@b.c", pass: password } }).send(mail),
      "Unreachable",
    );
  });

  it("Unreachable: it uses another protocol", async () => {
    const port = await startSocket((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    await errorOf(
      open({ host: "localhost", port, secure: false, auth: { user: "a@b.c", pass: password } }).send(mail),
      "Unreachable",
    );
  });

  it.each<[string, (socket: net.Socket) => void]>([
    ["sends nothing", () => {}],
    ["stops after its greeting", (socket) => socket.write("220 hello\r\n")],
    [
      "sends its reply slowly",
      (socket) => {
        socket.write("220 hello\r\n");
        const timer = setInterval(() => socket.write("250-x\r\n"), 20);
        socket.on("close", () => clearInterval(timer));
      },
    ],
  ])("Timeout: it %s", async (_, act) => {
    const port = await startSocket(act);
    const settings = { host: "localhost", port, secure: false, auth: { user: "a@b.c", pass: password } };
    await errorOf(open(settings, { connect: 300, send: 400 }).send(mail), "Timeout");
  });
});

describe("TLS", () => {
  it("sends over TLS from the first byte when the authority is trusted", async () => {
    const server = await startMailServer({ secure: true });
    const { cert: ca } = await certificate;
    const mailer = open({ host: "localhost", port: server.port, auth: server.settings.auth, ca });
    await mailer.verify();
    await mailer.send(mail);
    expect(server.mails[0]?.secure).toBe(true);
  });

  it("upgrades with STARTTLS when secure is false and the server can", async () => {
    const server = await startMailServer({ disabledCommands: [], allowInsecureAuth: false });
    const { cert: ca } = await certificate;
    await open({ ...server.settings, ca }).send(mail);
    expect(server.mails[0]?.secure).toBe(true);
  });

  it.each([
    ["from the first byte", { secure: true }, true],
    ["with STARTTLS", { disabledCommands: [] }, false],
  ])("NotSecure: an untrusted certificate, %s", async (_, options, secure) => {
    const server = await startMailServer(options);
    await errorOf(open({ ...server.settings, secure }).send(mail), "NotSecure");
    expect(server.mails).toEqual([]);
  });

  it("NotSecure: a trusted certificate of another host", async () => {
    const server = await startMailServer({ secure: true });
    const { cert: ca } = await certificate;
    await errorOf(open({ ...server.settings, host: "127.0.0.1", secure: true, ca }).send(mail), "NotSecure");
  });

  it("NotSecure: TLS to a plain-text port, with a hint about secure", async () => {
    const server = await startMailServer();
    const { message } = await errorOf(open({ ...server.settings, secure: true }).send(mail), "NotSecure");
    expect(message).toContain('"secure": false');
  });
});

describe("verify", () => {
  it("authenticates and sends nothing", async () => {
    const server = await startMailServer();
    await expect(open(server.settings).verify()).resolves.toBeUndefined();
    expect(server.mails).toEqual([]);
    await server.close();
    await errorOf(open(server.settings).verify(), "Unreachable");
  });
});

describe("close", () => {
  it("waits for pending emails, then accepts no more", async () => {
    const server = await startMailServer();
    const mailer = makeMailer(server.settings);
    const sending = Array.from({ length: 20 }, () => mailer.send(mail));
    const closing = mailer.close();
    await errorOf(mailer.send(mail), "Closed");
    await closing;
    await expect(Promise.all(sending)).resolves.toHaveLength(20);
    expect(server.mails).toHaveLength(20);
    await errorOf(mailer.verify(), "Closed");
    await expect(mailer.close()).resolves.toBeUndefined();
  });

  it("closes a mailer that was never used, and one that could not connect", async () => {
    await expect(makeMailer({ host: "localhost", auth: { user: "a", pass: "b" } }).close()).resolves.toBeUndefined();
    const mailer = makeMailer({ host: "localhost", port: 1, auth: { user: "a@b.c", pass: "b" } });
    await errorOf(mailer.send(mail), "Unreachable");
    await expect(mailer.close()).resolves.toBeUndefined();
  });
});

it("isolates two mailers in one process", async () => {
  const [one, two] = [await startMailServer(), await startMailServer()];
  const [first, second] = [open(one.settings), open({ ...two.settings, name: "Two" })];
  await Promise.all([first.send(mail), second.send(mail)]);
  await first.close();
  await second.send(mail);
  expect([one.mails.length, two.mails.length]).toEqual([1, 2]);
});
