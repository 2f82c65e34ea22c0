import { randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import { ServiceRouter, type UploadsConfig } from "@servicekit/router";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { form, jpeg, type Part, pdf, png, svg, text, webp } from "./samples.js";
import { type Served, serve, until } from "./serve.js";

const upload = async (served: Served, path: string, ...parts: Part[]) => {
  const reply = await fetch(`${served.origin}${path}`, { method: "POST", body: form(...parts) });
  return { status: reply.status, body: await reply.json() };
};

async function storedImage(served: Served, pathname: string): Promise<Metadata> {
  const got = await fetch(served.origin + pathname);
  return sharp(Buffer.from(await got.arrayBuffer()), { animated: true }).metadata();
}

const route = (image: NonNullable<UploadsConfig["image"]>): Promise<Served> =>
  serve({
    mount: (app) =>
      app.use(
        ServiceRouter().post(
          { path: "/a", experimental: { uploads: { type: "single", field: "f", image } } },
          (request, response) => {
            response.json({ data: request.file });
          },
        ),
      ),
  });

type Metadata = Awaited<ReturnType<ReturnType<typeof sharp>["metadata"]>>;

/** A PNG whose header declares this many pixels in a few bytes. */
function bomb(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(checksum(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc(1_000_000))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Node 20.20 has it, its types do not yet. */
const checksum = crc32 as (data: Buffer) => number;

describe("C37 image options", () => {
  it("convert an image before it is stored, and its extension to the format", async () => {
    const served = await route({ width: 20, height: 10, fit: "fill", format: "webp", quality: 50 });
    const { status, body } = await upload(served, "/a", ["f", png, "a.png"]);
    expect([status, body.data.name, body.data.mimeType, body.data.originalName]).toEqual([
      200,
      expect.stringMatching(/^[0-9a-f]{32}\.webp$/),
      "image/webp",
      "a.png",
    ]);
    expect(await storedImage(served, body.data.pathname)).toMatchObject({ format: "webp", width: 20, height: 10 });
    const got = await fetch(served.origin + body.data.pathname);
    expect(Number(got.headers.get("content-length"))).toBe(body.data.size);
  });

  it("keep the format and the proportions if only a width is given", async () => {
    const served = await route({ width: 20 });
    const cases: [Buffer, string, string][] = [
      [png, "a.png", "png"],
      [jpeg, "a.jpeg", "jpeg"],
      [webp, "a.webp", "webp"],
    ];
    for (const [content, name, format] of cases) {
      const { body } = await upload(served, "/a", ["f", content, name]);
      expect(await storedImage(served, body.data.pathname)).toMatchObject({ format, width: 20, height: 15 });
    }
  });

  it("rotate an image by its EXIF orientation and remove its metadata", async () => {
    const turned = await sharp(png).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const served = await route({ quality: 80 });
    const { body } = await upload(served, "/a", ["f", turned, "a.jpg"]);
    const stored = await storedImage(served, body.data.pathname);
    expect([stored.width, stored.height, stored.orientation, stored.exif]).toEqual([30, 40, undefined, undefined]);
  });

  it("pass other files and reject images that cannot be converted", async () => {
    const served = await route({ width: 20 });
    expect((await upload(served, "/a", ["f", pdf, "a.pdf"])).body.data.size).toBe(pdf.length);
    const before = served.files();
    const broken = Buffer.concat([png.subarray(0, 60), Buffer.alloc(50)]);
    const rejected: [Buffer, string, number, string][] = [
      [svg, "a.svg", 415, "UnsupportedFileType"],
      [broken, "a.png", 415, "UnreadableImage"],
      [bomb(30_000, 30_000), "a.png", 415, "UnreadableImage"],
    ];
    for (const [content, name, status, code] of rejected) {
      const reply = await upload(served, "/a", ["f", content, name]);
      expect([reply.status, reply.body.code, reply.body.errors[0].path]).toEqual([status, code, "/f"]);
    }
    expect(served.files()).toEqual(before);
    expect(served.logged).toEqual([]);
  });

  it("in the query of the upload route override those of the configuration", async () => {
    const served = await serve({ config: { image: { width: 10, format: "webp" }, imageQuery: {} } });
    const plain = await upload(served, "/api/uploads/images", ["images", png, "a.png"]);
    expect(await storedImage(served, plain.body.data.pathname)).toMatchObject({ format: "webp", width: 10 });
    const requested = await upload(served, "/api/uploads/images?width=8&format=jpeg&quality=70", [
      "images",
      png,
      "a.png",
    ]);
    expect(requested.body.data.name).toMatch(/\.jpg$/);
    expect(await storedImage(served, requested.body.data.pathname)).toMatchObject({ format: "jpeg", width: 8 });
    for (const query of [
      "width=0",
      "width=5000",
      "width=x",
      "fit=no",
      "format=exe",
      "quality=101",
      "width=1&width=2",
    ]) {
      const reply = await upload(served, `/api/uploads/images?${query}`, ["images", png, "a.png"]);
      expect([query, reply.status, reply.body.code]).toEqual([query, 400, "InvalidImageOptions"]);
    }
    const other = await upload(served, "/api/uploads/documents?width=10", ["documents", text, "a.txt"]);
    expect([other.status, other.body.code]).toEqual([400, "InvalidImageOptions"]);
  });

  it("limit the size of the input, not of the output", async () => {
    const poor = await sharp(
      await sharp(randomBytes(40_000), { raw: { width: 200, height: 200, channels: 1 } })
        .png()
        .toBuffer(),
    )
      .jpeg({ quality: 1 })
      .toBuffer();
    const served = await serve({
      config: { image: { format: "png" }, restrictions: { images: { maxSize: poor.length } } },
    });
    const larger = await upload(served, "/api/uploads/images", ["images", poor, "a.jpg"]);
    expect([larger.status, larger.body.data.size > poor.length]).toEqual([201, true]);
    const rejected = await upload(served, "/api/uploads/images", [
      "images",
      Buffer.concat([poor, Buffer.alloc(1)]),
      "a.jpg",
    ]);
    expect([rejected.status, rejected.body.code, served.files().length]).toEqual([413, "FileTooLarge", 1]);
  });
});

/** A GIF of this many frames of noise. */
const animation = (width: number, height: number, frames: number): Promise<Buffer> =>
  sharp(randomBytes(width * height * frames * 3), {
    raw: { width, height: height * frames, channels: 3, pageHeight: height },
  })
    .gif({ effort: 1 })
    .toBuffer();

/** A GIF of this many frames of one pixel on a canvas of any size, in few bytes. */
function canvas(width: number, height: number, frames: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const frame = Buffer.from("21f904000a0000002c0000000001000100000202440100", "hex");
  return Buffer.concat([
    Buffer.from("GIF89a"),
    size,
    Buffer.from("800000ffffff000000", "hex"),
    ...Array.from({ length: frames }, () => frame),
    Buffer.from(";"),
  ]);
}

describe("the cost of images", () => {
  it.each([
    { width: 3000, height: 3000 },
    { width: 3000, height: 2000, fit: "contain" },
    { width: 400 },
    { height: 400, fit: "outside" },
  ] as const)("is not raised by enlarging with %j", async (image) => {
    const served = await route(image);
    const { body } = await upload(served, "/a", ["f", png, "a.png"]);
    const { width, height } = await storedImage(served, body.data.pathname);
    expect(Math.min(width / 40, height / 30)).toBeLessThanOrEqual(1);
    expect(width * height).toBeLessThanOrEqual(40 * 40);
  });

  it("is limited by the configuration, also without a size in the query", async () => {
    const served = await serve({ config: { imageQuery: { maxWidth: 20, maxHeight: 10, formats: ["webp"] } } });
    for (const query of ["format=webp", "quality=50", "width=20", "height=10&fit=outside&width=20"]) {
      const { body } = await upload(served, `/api/uploads/images?${query}`, ["images", png, "a.png"]);
      const { width, height } = await storedImage(served, body.data.pathname);
      expect([query, width <= 20, height <= 10]).toEqual([query, true, true]);
    }
  });

  it("is limited for animations, which keep their frames, by their pixels", async () => {
    const served = await route({ width: 20, height: 20, fit: "cover" });
    const { body } = await upload(served, "/a", ["f", await animation(40, 30, 5), "a.gif"]);
    expect(await storedImage(served, body.data.pathname)).toMatchObject({ pages: 5, width: 20, pageHeight: 20 });
    for (const [width, height, frames] of [
      [2000, 2000, 13],
      [1000, 1000, 51],
    ] as const) {
      const rejected = await upload(served, "/a", ["f", canvas(width, height, frames), "a.gif"]);
      expect([rejected.status, rejected.body.code]).toEqual([415, "UnreadableImage"]);
    }
    const few = await upload(served, "/a", ["f", canvas(100, 100, 51), "a.gif"]);
    expect(few.status).toBe(200);
  });

  it("is spread by converting the images of one form sequentially", async () => {
    const served = await serve({ config: { image: { width: 20, format: "webp" } } });
    const parts = Array.from({ length: 30 }, (_, index): Part => ["images", png, `${index}.png`]);
    const { status, body } = await upload(served, "/api/uploads/images", ...parts);
    expect([status, body.data.length, served.files().length]).toEqual([201, 30, 30]);
    expect(body.data.map(({ originalName }: { originalName: string }) => originalName)).toEqual(
      parts.map(([, , name]) => name),
    );
  });

  it("C35 is not spent for a client that disconnects while its image waits, which leaves no file", async () => {
    const served = await serve({ config: { image: { format: "avif" } } });
    const expensive = await sharp(randomBytes(1500 * 1500), { raw: { width: 1500, height: 1500, channels: 1 } })
      .png()
      .toBuffer();
    const gone = Array.from({ length: 6 }, () => {
      const left = new AbortController();
      const reply = fetch(`${served.origin}/api/uploads/images`, {
        method: "POST",
        body: form(["images", expensive, "a.png"]),
        signal: left.signal,
      });
      return { left, response: reply.catch(() => undefined) };
    });
    await until(() => served.files().length === 0, "nothing is stored yet");
    for (const { left } of gone) left.abort();
    await Promise.all(gone.map(({ response: reply }) => reply));
    const { status } = await upload(served, "/api/uploads/images", ["images", png, "a.png"]);
    expect([status, served.files().length]).toEqual([201, 1]);
    expect(served.logged).toEqual([]);
  });
});

describe("a request that ended while its image was converted", () => {
  it.each(["/a", "/api/uploads/images"])("C35 leaves no file and runs no handler, on %s", async (path) => {
    let [requests, handled] = [0, 0];
    const served = await serve({
      config: { image: { format: "avif" } },
      // As a time limit does.
      early: (_request, response, next) => {
        requests++;
        if (requests === 1) {
          const timer = setTimeout(() => response.status(504).json({}), 300);
          response.once("close", () => clearTimeout(timer));
        }
        next();
      },
      mount: (app) =>
        app.use(
          ServiceRouter().post(
            { path: "/a", experimental: { uploads: { type: "single", field: "images", image: { format: "avif" } } } },
            (_request, response) => {
              handled++;
              response.json({});
            },
          ),
        ),
    });
    const expensive = await sharp(randomBytes(2000 * 2000), { raw: { width: 2000, height: 2000, channels: 1 } })
      .png()
      .toBuffer();
    const late = await upload(served, path, ["images", expensive, "a.png"]);
    expect([late.status, served.logged]).toEqual([504, []]);
    // A running conversion has ended when the next one has, because it waits for two cores.
    expect((await upload(served, path, ["images", png, "b.png"])).status).toBeLessThan(300);
    await until(() => served.files().every((file) => file.endsWith(".avif")), "nothing waits any more");
    expect([served.files().length, handled]).toEqual([1, path === "/a" ? 1 : 0]);
    expect(served.logged).toEqual([]);
  });
});
