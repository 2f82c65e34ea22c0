import { crc32, deflateSync } from "node:zlib";
import { ServiceRouter, type UploadsConfig } from "@servicekit/router";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { form, jpeg, type Part, pdf, png, svg, text, webp } from "./samples.js";
import { type Served, serve } from "./serve.js";

const upload = async (served: Served, path: string, ...parts: Part[]) => {
  const answer = await fetch(`${served.origin}${path}`, { method: "POST", body: form(...parts) });
  return { status: answer.status, body: await answer.json() };
};

async function storedImage(served: Served, pathname: string): Promise<Metadata> {
  const got = await fetch(served.origin + pathname);
  return sharp(Buffer.from(await got.arrayBuffer())).metadata();
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

/** A PNG of so many pixels in a few bytes: its header promises them. */
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
  it("change an image before it is stored, and its extension follows the format", async () => {
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

  it("keep the format and the proportions when only a width is given", async () => {
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

  it("turn an image as its camera was held and drop its metadata", async () => {
    const turned = await sharp(png).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const served = await route({ quality: 80 });
    const { body } = await upload(served, "/a", ["f", turned, "a.jpg"]);
    const stored = await storedImage(served, body.data.pathname);
    expect([stored.width, stored.height, stored.orientation, stored.exif]).toEqual([30, 40, undefined, undefined]);
  });

  it("let other files pass and refuse images that cannot be changed", async () => {
    const served = await route({ width: 20 });
    expect((await upload(served, "/a", ["f", pdf, "a.pdf"])).body.data.size).toBe(pdf.length);
    const before = served.files();
    const broken = Buffer.concat([png.subarray(0, 60), Buffer.alloc(50)]);
    const refused: [Buffer, string, number, string][] = [
      [svg, "a.svg", 415, "UnsupportedFileType"],
      [broken, "a.png", 415, "UnreadableImage"],
      [bomb(30_000, 30_000), "a.png", 415, "UnreadableImage"],
    ];
    for (const [content, name, status, code] of refused) {
      const answer = await upload(served, "/a", ["f", content, name]);
      expect([answer.status, answer.body.code, answer.body.errors[0].path]).toEqual([status, code, "/f"]);
    }
    expect(served.files()).toEqual(before);
    expect(served.logged).toEqual([]);
  });

  it("come in the query of the upload route, over those of the configuration", async () => {
    const served = await serve({ config: { image: { width: 10, format: "webp" } } });
    const plain = await upload(served, "/api/uploads/images", ["images", png, "a.png"]);
    expect(await storedImage(served, plain.body.data.pathname)).toMatchObject({ format: "webp", width: 10 });
    const asked = await upload(served, "/api/uploads/images?width=8&format=jpeg&quality=70", ["images", png, "a.png"]);
    expect(asked.body.data.name).toMatch(/\.jpg$/);
    expect(await storedImage(served, asked.body.data.pathname)).toMatchObject({ format: "jpeg", width: 8 });
    for (const query of [
      "width=0",
      "width=5000",
      "width=x",
      "fit=no",
      "format=exe",
      "quality=101",
      "width=1&width=2",
    ]) {
      const answer = await upload(served, `/api/uploads/images?${query}`, ["images", png, "a.png"]);
      expect([query, answer.status, answer.body.code]).toEqual([query, 400, "InvalidImageOptions"]);
    }
    const other = await upload(served, "/api/uploads/documents?width=10", ["documents", text, "a.txt"]);
    expect([other.status, other.body.code]).toEqual([400, "InvalidImageOptions"]);
  });

  it("bound the size of what comes in, not of what is stored", async () => {
    const served = await serve({ config: { restrictions: { images: { maxSize: png.length } } } });
    const larger = await upload(served, "/api/uploads/images?width=400", ["images", png, "a.png"]);
    expect([larger.status, larger.body.data.size > png.length]).toEqual([201, true]);
  });
});
