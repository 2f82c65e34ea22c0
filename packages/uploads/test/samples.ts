import sharp from "sharp";

/** Generated real files. */
const picture = { create: { width: 40, height: 30, channels: 3 as const, background: "#c04020" } };

export const png = await sharp(picture).png().toBuffer();
export const jpeg = await sharp(picture)
  .jpeg()
  .withExif({ IFD0: { Copyright: "nobody" } })
  .toBuffer();
export const webp = await sharp(picture).webp().toBuffer();
export const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
export const pdf = Buffer.from("%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n");
export const mp4 = Buffer.concat([
  Buffer.from([0, 0, 0, 24]),
  Buffer.from("ftypisom"),
  Buffer.from([0, 0, 2, 0]),
  Buffer.from("isomiso2"),
  Buffer.alloc(200),
]);
export const html = Buffer.from("<!doctype html><script>alert(1)</script>");
export const text = Buffer.from("Grüße\n");

/** A part of a form for `fetch`. */
export type Part = readonly [field: string, content: Buffer | string, name?: string, type?: string];

export function form(...parts: readonly Part[]): FormData {
  const data = new FormData();
  for (const [field, content, name, type] of parts) {
    if (name === undefined) data.append(field, content.toString());
    else data.append(field, new Blob([new Uint8Array(Buffer.from(content))], { type: type ?? "" }), name);
  }
  return data;
}
