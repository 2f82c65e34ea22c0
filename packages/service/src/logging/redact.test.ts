import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact } from "./redact.js";
import { isSecretName } from "./secret-name.js";

describe("C42 names of secrets", () => {
  it.each([
    ..."password passwd PASSWORD passwordHash pass passphrase passcode pwd userPwd secret client_secret".split(" "),
    ..."token accessToken refresh_token csrf-token Authorization proxy-authorization cookie set-cookie".split(" "),
    ..."apiKey api-key api_key x-api-key apikey accessKey access_key aws-access-key private_key privateKey".split(" "),
    ..."credentials credential filter[password] user.pass pass__equals a[b][token][0]".split(" "),
  ])("%s is one", (name) => expect(isSecretName(name)).toBe(true));

  it.each(["name", "passenger", "compass1", "key", "monkey", "bypassed", "publicKey", "keyboard", "author", "passage"])(
    "%s is not one",
    (name) => expect(isSecretName(name)).toBe(false),
  );
});

describe("C42 the copy of a value for the log", () => {
  const cases: readonly (readonly [unknown, unknown])[] = [
    [{ a: [{ b: { apiKey: "s" } }] }, { a: [{ b: { apiKey: "***" } }] }],
    [
      { password: { contains: "s" }, tokens: ["s"] },
      { password: "***", tokens: "***" },
    ],
    [{ referer: "https://a.example/x?id=1&token=s#top" }, { referer: "https://a.example/x?id=1&token=***#top" }],
    [{ referer: "/x?reset%5Ftoken=s&a[password]=s&b=2" }, { referer: "/x?reset%5Ftoken=***&a[password]=***&b=2" }],
    [{ url: "postgresql://user:s@host:5432/name" }, { url: "postgresql://***@host:5432/name" }],
    [{ back: "https://a.example/#access_token=s&state=1" }, { back: "https://a.example/#access_token=***&state=1" }],
    [
      { message: 'create({ data: { name: "A", password: "s" } })' },
      { message: 'create({ data: { name: "A", password: *** } })' },
    ],
    [
      { message: 'update({ password: { set: "s" }, tokens: ["s", "s"], a: 1 })' },
      { message: "update({ password: ***, tokens: ***, a: 1 })" },
    ],
    ["name=Ada&password=s", "name=Ada&password=***"],
    ["{ password: , name: 1 }", "{ password: , name: 1 }"],
    [
      { run: () => 1, mark: Symbol("s"), name: "Ada" },
      { run: undefined, mark: undefined, name: "Ada" },
    ],
    ['{"name":"Ada","password":"s\\"s","n":1}', '{"name":"Ada","password":***,"n":1}'],
    [{ note: "sent Authorization: Bearer abc.def-1" }, { note: "sent Authorization: *** ***" }],
    [{ note: "Bearer abc.def-1" }, { note: "Bearer ***" }],
    [{ jwt: "eyJhbGciOi.eyJzdWIi.c2ln" }, { jwt: "***" }],
    [
      { time: "12:30", ratio: "a=b", name: "Ada" },
      { time: "12:30", ratio: "a=b", name: "Ada" },
    ],
    [
      [1n, null, undefined, true, new Uint8Array(3), "x".repeat(1_001)],
      ["1", null, undefined, true, "3 bytes", `${"x".repeat(1_000)}…`],
    ],
  ];
  it.each([...cases.entries()])("of case %i", (_index, [value, expected]) => expect(redact(value)).toEqual(expected));

  it("terminates for cyclic values, and is limited for large ones", () => {
    const ring: Record<string, unknown> = { password: "s" };
    for (let i = 0; i < 50; i++) ring[`k${i}`] = ring;
    expect(JSON.stringify(redact(ring)).length).toBeLessThan(200_000);
    expect(JSON.stringify(redact(Array(1_000_000).fill({}))).length).toBeLessThan(1_000);
  });

  it("never contains what is under the name of a secret, at any depth", () => {
    const canary = "s3cr3t-canary";
    const name = fc.constantFrom("password", "refreshToken", "x-api-key", "Cookie", "clientSecret", "pwd");
    const leaf = fc.oneof(
      fc.dictionary(name, fc.constant(canary), { minKeys: 1 }),
      name.map((key) => `https://a.example/p?x=1&${key}=${canary}`),
      name.map((key) => JSON.stringify({ a: 1, [key]: canary })),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        leaf,
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie("value"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(fc.property(value, (given) => !JSON.stringify(redact(given)).includes(canary)));
  });
});
