import { type OptionalPackages, whenMissing } from "@servicekit/core/internal";
import type { Sharp, SharpOptions } from "sharp";
import { uploadErrors } from "../errors.js";
import { type ImageChange, type Size, sizeOf } from "./image-size.js";

type Format = "jpeg" | "png" | "webp" | "gif" | "avif" | "tiff";

/** What changing images needs, and nothing else. */
export const imagePackages: OptionalPackages = { names: ["sharp"], purpose: "Changing images" };

/** The formats that images of an extension are read and written in. */
const formats: ReadonlyMap<string, Format> = new Map([
  ["jpg", "jpeg"],
  ["jpeg", "jpeg"],
  ["png", "png"],
  ["webp", "webp"],
  ["gif", "gif"],
  ["avif", "avif"],
  ["tif", "tiff"],
  ["tiff", "tiff"],
]);

/** Pixels of an image, of all its frames together: the largest photographs of telephones, 200 MB when decoded. */
const mostPixels = 50_000_000;

/** What is written in these formats is made smaller than others: a pixel of them costs a hundred times as much. */
const mostWritten: Readonly<Partial<Record<Format, number>>> = {
  avif: 4096 * 4096,
  gif: 4096 * 4096,
  webp: 4096 * 4096,
};

/** At more effort `sharp` takes minutes for what is stored some percent smaller. */
const efforts: Readonly<Partial<Record<Format, { readonly effort: number }>>> = {
  avif: { effort: 0 },
  gif: { effort: 1 },
};

/** Seconds; what a single call of an encoder takes is not counted, so pixels are bounded too. */
const longest = 10;

/** Whether images of an extension can be changed. */
export function isChangeable(extension: string): boolean {
  return formats.has(extension);
}

/** The extension that a changed image has. */
export function changedExtension(extension: string, { format }: ImageChange): string {
  if (format === undefined || formats.get(extension) === format) return extension;
  return format === "jpeg" ? "jpg" : format;
}

/**
 * Changes an image (contract C37): turned as its camera was held, made smaller, written in its format, without its
 * metadata. `sharp` is loaded with the first one.
 *
 * @param unreadable makes the refusal of an image that cannot be changed
 * @throws {HttpError} that refusal, or 503 when it takes too long
 */
export async function changeImage(
  input: Buffer,
  { extension, change, unreadable }: { extension: string; change: ImageChange; unreadable: () => Error },
): Promise<Buffer> {
  const { default: sharp } = await import("sharp").catch(whenMissing("fileUpload.image", imagePackages));
  const format = change.format ?? formats.get(extension) ?? "png";
  const animated = (extension === "gif" || extension === "webp") && (format === "gif" || format === "webp");
  const options: SharpOptions = { limitInputPixels: mostPixels, failOn: "error", animated };
  const told = await measure(sharp(input, options)).catch((cause) => {
    throw Object.assign(unreadable(), { cause });
  });
  const size = sizeOf({ ...change, mostPixels: (mostWritten[format] ?? mostPixels) / told.frames }, told.size);
  const image = sharp(input, options).autoOrient().timeout({ seconds: longest });
  if (size.width !== told.size.width || size.height !== told.size.height) {
    const hasBox = change.width !== undefined && change.height !== undefined;
    const fit = hasBox && (change.fit ?? "cover") !== "inside" && change.fit !== "outside" ? change.fit : "fill";
    image.resize({ ...size, fit: fit ?? "cover" });
  }
  const quality = change.quality === undefined ? {} : { quality: change.quality };
  image.toFormat(format, { ...efforts[format], ...quality });
  try {
    return await image.toBuffer();
  } catch (cause) {
    const isLate = cause instanceof Error && cause.message.startsWith("timeout");
    throw isLate ? conversionsBusy({ cause }) : Object.assign(unreadable(), { cause });
  }
}

/** The refusal of a conversion that the service has no room or time for. */
export const conversionsBusy = (options: { readonly cause?: unknown } = {}) =>
  uploadErrors.ConversionsBusy(undefined, { ...options, headers: { "Retry-After": "5" } });

/** The size of an image, or of one frame of it, as it is to be looked at. */
async function measure(image: Sharp): Promise<{ readonly size: Size; readonly frames: number }> {
  const { width, pageHeight, pages = 1, autoOrient } = await image.metadata();
  return pageHeight === undefined
    ? { size: autoOrient, frames: 1 }
    : { size: { width, height: pageHeight }, frames: pages };
}
