import { describe, expect, it } from "vitest";
import { MailError } from "./mail-error.js";
import { mailerSchema } from "./settings.js";
import { toMailError } from "./to-mail-error.js";

const of = (facts: object, message = "no") => toMailError(Object.assign(new Error(message), facts), "host:25");

describe("toMailError", () => {
  it.each([
    ["EAUTH", "AuthenticationFailed"],
    ["ETLS", "NotSecure"],
    ["ETIMEDOUT", "Timeout"],
    ["EENVELOPE", "Refused"],
    ["ECONNECTION", "Unreachable"],
    ["CERT_HAS_EXPIRED", "NotSecure"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "NotSecure"],
  ])("reports %s as %s, with the server", (code, expected) => {
    const error = of({ code });
    expect(error.code).toBe(expected);
    expect(error.message).toContain("host:25");
  });

  it("reports TLS failures that arrive as socket errors as NotSecure", () => {
    expect(of({ code: "ESOCKET", originalCode: "ERR_TLS_CERT_ALTNAME_INVALID" }).code).toBe("NotSecure");
    expect(of({ code: "ESOCKET" }, "unable to verify the first certificate").code).toBe("NotSecure");
    expect(of({ code: "ESOCKET" }, "connect ECONNREFUSED").code).toBe("Unreachable");
  });

  it("suggests secure: false only when the server does not begin with TLS", () => {
    const hint = '"secure": false';
    expect(of({ originalCode: "ERR_SSL_WRONG_VERSION_NUMBER" }).message).toContain(hint);
    expect(of({}, "SSL routines: wrong version number").message).toContain(hint);
    expect(of({}, "packet length too long").message).toContain(hint);
    expect(of({ code: "CERT_HAS_EXPIRED" }).message).not.toContain(hint);
  });

  it("contains the reply of the server, and the cause", () => {
    const cause = Object.assign(new Error("no"), { code: "EENVELOPE", response: "550 Looks like spam" });
    const error = toMailError(cause, "host:25");
    expect(error.message).toContain("550 Looks like spam");
    expect(error.cause).toBe(cause);
    expect(toMailError("text", "host:25").message).toContain("text");
  });

  it("returns an error of the mailer as it is", () => {
    const error = new MailError("Timeout", "late");
    expect(toMailError(error, "host:25")).toBe(error);
  });
});

it("marks the password of the settings as secret", () => {
  const { auth } = mailerSchema.shape as unknown as {
    auth: { shape: { pass: { meta(): object }; user: { meta(): object | undefined } } };
  };
  expect(auth.shape.pass.meta()).toMatchObject({ secret: true });
  expect(auth.shape.user.meta()).toBeUndefined();
});
