import { connect } from "node:net";
import { ServiceRouter } from "@servicekit/router";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { png } from "./samples.js";
import { type Served, serve } from "./serve.js";

const boundary = "----x";
const line = "\r\n";

/** A form of parts as they are sent. */
const wire = (...parts: (string | Buffer)[]): Buffer =>
  Buffer.concat([
    ...parts.map((part) => Buffer.concat([Buffer.from(`--${boundary}${line}`), Buffer.from(part), Buffer.from(line)])),
    Buffer.from(`--${boundary}--${line}`),
  ]);
const field = (name: string, value = "1"): string =>
  `Content-Disposition: form-data; name="${name}"${line}${line}${value}`;
const file = (name: string, fileName: string, content: string | Buffer = png, more = ""): Buffer =>
  Buffer.concat([
    Buffer.from(
      `Content-Disposition: form-data; name="${name}"; filename="${fileName}"${line}Content-Type: application/octet-stream${line}${more}${line}`,
    ),
    Buffer.from(content),
  ]);

interface Answer {
  readonly status: number;
  readonly code: unknown;
  readonly body: { readonly body?: unknown; readonly file?: { readonly originalName: string; readonly name: string } };
}

/** Sends raw bytes and reads the response, however the connection ends. */
function send(served: Served, body: Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(served.port, "127.0.0.1");
    let text = "";
    const all = {
      "Content-Type": `multipart/form-data; boundary=${boundary}`,
      "Content-Length": String(body.length),
      ...headers,
    };
    const head = Object.entries(all).map(([name, value]) => `${name}: ${value}${line}`);
    socket.write(`POST /a HTTP/1.1${line}Host: x${line}Connection: close${line}${head.join("")}${line}`);
    socket.write(body);
    socket.setTimeout(5000, () => socket.destroy(new Error("There was no answer.")));
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    socket.on("error", reject);
    socket.on("close", () => {
      const [top = "", content = ""] = text.split(`${line}${line}`);
      const json = content.startsWith("{") ? JSON.parse(content) : {};
      resolve({ status: Number(top.slice(9, 12)), code: json.code, body: json });
    });
  });
}

describe("a hostile form", () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve({
      mount: (app) =>
        app.use(
          ServiceRouter().post(
            { path: "/a", experimental: { uploads: { type: "single", field: "f" } } },
            (request, response) => {
              response.json({ body: request.body, file: request.file });
            },
          ),
        ),
    });
  });

  const many = (count: number, make: (index: number) => string | Buffer) =>
    Array.from({ length: count }, (_, i) => make(i));
  const cases: [string, Buffer, Record<string, string>, number, string | undefined][] = [
    ["is taken when it is right", wire(field("a[b]"), file("f", "a.png")), {}, 200, undefined],
    ["with indices that stop other parsers", wire(field("a[4294967294]"), field("a[x]")), {}, 400, "InvalidFieldName"],
    ["with an index over the limit", wire(field("a[99999999]")), {}, 400, "InvalidFieldName"],
    ["nested too deep", wire(field(`a${"[b]".repeat(6)}`)), {}, 400, "InvalidFieldName"],
    ["nested very deep", wire(field(`a${"[b]".repeat(60)}`)), {}, 400, "InvalidFieldName"],
    ["with a prototype key", wire(field("__proto__[admin]")), {}, 400, "InvalidFieldName"],
    ["with a prototype key inside", wire(field("a[b]"), field("a[__proto__][admin]")), {}, 400, "InvalidFieldName"],
    ["with a prototype key as a file", wire(file("__proto__", "a.png")), {}, 400, "InvalidFieldName"],
    ["with a name that is too long", wire(field("a".repeat(201))), {}, 400, "InvalidFieldName"],
    ["with a nameless field", wire(`Content-Disposition: form-data${line}${line}1`), {}, 400, "InvalidFieldName"],
    ["with an empty name", wire(field("")), {}, 400, "InvalidFieldName"],
    [
      "with a nameless file",
      wire(`Content-Disposition: form-data; filename="a.png"${line}${line}1`),
      {},
      400,
      "InvalidFieldName",
    ],
    ["with a file without a file name", wire(file("f", "")), {}, 400, "UnexpectedFile"],
    ["with too many fields", wire(...many(201, (i) => field(`a${i}`))), {}, 413, "FormTooLarge"],
    ["with too many parts", wire(...many(1000, (i) => field(`a${i}`))), {}, 413, "FormTooLarge"],
    ["with too many files", wire(...many(50, () => file("f", "a.png"))), {}, 400, "TooManyFiles"],
    ["with too many empty files", wire(...many(50, () => file("f", "", ""))), {}, 400, "TooManyFiles"],
    ["with a field that is too large", wire(field("a", "x".repeat(1024 * 1024 + 1))), {}, 413, "FormTooLarge"],
    [
      "with fields that are too large together",
      wire(...many(3, (i) => field(`a${i}`, "x".repeat(500_000)))),
      {},
      413,
      "FormTooLarge",
    ],
    [
      "with invalid text",
      wire(Buffer.concat([Buffer.from(field("a", "")), Buffer.from([0xff, 0xfe])])),
      {},
      400,
      "MalformedForm",
    ],
    [
      "with a name that is not text, before a file without its end",
      wire(Buffer.from(field("\xff"), "latin1"), file("f", "a.png")).subarray(0, -60),
      {},
      400,
      "MalformedForm",
    ],
    ["without its end", wire(file("f", "a.png")).subarray(0, 150), {}, 400, "MalformedForm"],
    ["without any part", Buffer.from("nothing"), {}, 400, "MalformedForm"],
    ["with a part whose header is none", wire(`: x${line}${line}1`), {}, 400, "MalformedForm"],
    ["with a huge header", wire(`X: ${"y".repeat(100_000)}${line}${line}1`), {}, 400, "MalformedForm"],
    ["without a boundary", wire(field("a")), { "Content-Type": "multipart/form-data" }, 400, "MalformedForm"],
    [
      "of another kind",
      wire(field("a")),
      { "Content-Type": "multipart/mixed; boundary=x" },
      415,
      "UnsupportedMediaType",
    ],
    ["compressed", wire(field("a")), { "Content-Encoding": "gzip" }, 415, "UnsupportedMediaType"],
    ["announced as too large", wire(field("a")), { "Content-Length": "99999999999" }, 413, "FormTooLarge"],
    [
      "with an unknown transfer encoding",
      wire(file("f", "a.png", png, `Content-Transfer-Encoding: x${line}`)),
      {},
      200,
      undefined,
    ],
    ["with a path as file name", wire(file("f", "../../../../tmp/evil.png")), {}, 200, undefined],
  ];
  it.each(cases)("%s", async (_title, body, headers, status, code) => {
    const before = served.files();
    const reply = await send(served, body, headers);
    expect([reply.status, reply.code]).toEqual([status, code]);
    if (status !== 200) expect(served.files()).toEqual(before);
    // The service still responds.
    expect((await send(served, wire(field("a[b]", "ä")))).body.body).toEqual({ a: { b: "ä" } });
  });

  it.each<[string, Buffer, number, string]>([
    ["a field with a wrong name", wire(field("a[b")), 400, "InvalidFieldName"],
    ["too many fields", wire(...many(201, (i) => field(`a${i}`))), 413, "FormTooLarge"],
    ["a field that is too large", wire(field("a", "x".repeat(1024 * 1024 + 1))), 413, "FormTooLarge"],
    ["too many files", wire(...many(50, () => file("f", "", ""))), 400, "TooManyFiles"],
    ["a file in another field", wire(file("g", "a.png")), 400, "UnexpectedFile"],
    ["a file of a wrong kind", wire(file("f", "a.png", "no image".repeat(1000))), 415, "FileContentMismatch"],
    ["a malformed part", wire(`: x${line}${line}1`), 400, "MalformedForm"],
  ])("is rejected before the rest of it has arrived: %s", async (_title, body, status, code) => {
    const reply = await send(served, body.subarray(0, -4), { "Content-Length": "10000000" });
    expect([reply.status, reply.code]).toEqual([status, code]);
  });

  it("gets a 4xx or is accepted, whatever its bytes are", { timeout: 300_000 }, async () => {
    const right = wire(field("a[b]", "ä"), file("f", "a.png"), field("c[]", "1"));
    const tokens = ["--", boundary, line, '"', "[", "]", "name=", "filename=", "\0", ";", "form-data", "\xff"];
    const change = fc.record({
      at: fc.nat(right.length),
      cut: fc.nat(40),
      put: fc.oneof(fc.constantFrom(...tokens), fc.string({ unit: "binary", maxLength: 10 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        let body = right;
        for (const { at, cut, put } of changes) {
          body = Buffer.concat([body.subarray(0, at), Buffer.from(put, "latin1"), body.subarray(at + cut)]);
        }
        const before = served.files().length;
        const { status, body: reply } = await send(served, body);
        expect(status === 200 || (status >= 400 && status < 500)).toBe(true);
        expect(served.files().length).toBe(before + (reply.file === undefined ? 0 : 1));
      }),
      { numRuns: 400 },
    );
    expect(served.logged).toEqual([]);
  });

  it("does not change prototypes", () => {
    expect(Object.prototype).not.toHaveProperty("admin");
  });

  it("C34 uses no text of the client as a path", async () => {
    const names: [string, string, string][] = [
      ["../../etc/passwd.png", "passwd.png", "png"],
      ["..\\\\..\\\\boot.png", "boot.png", "png"],
      ["C:\\\\x\\\\a.png", "a.png", "png"],
      ["a\u202Egnp.png", "agnp.png", "png"],
      ["%0D%0Aa.png", "a.png", "png"],
      ["Gru\u0308ße.PNG", "Grüße.PNG", "png"],
      [`${"x".repeat(400)}.png`, `${"x".repeat(196)}.png`, "png"],
      ["a.php.png", "a.php.png", "png"],
      [".png", ".png", "png"],
    ];
    for (const [given, cleaned, extension] of names) {
      const { status, body } = await send(served, wire(file("f", given)));
      expect([given, status, body.file?.originalName]).toEqual([given, 200, cleaned]);
      expect(body.file?.name).toMatch(new RegExp(`^[0-9a-f]{32}\\.${extension}$`));
    }
    const long = await send(served, wire(file("f", "a.verylongextension", "text")));
    expect(long.body.file?.name).toMatch(/^[0-9a-f]{32}$/);
  });
});
