import { type OptionalPackages, whenMissing } from "@servicekit/core/internal";
import type { Sharp, SharpOptions } from "sharp";
import { uploadErrors } from "../errors.js";
import { type ImageChange, type Size, sizeOf } from "./image-size.js";

type Format = "jpeg" | "png" | "webp" | "gif" | "avif" | "tiff";

/** The package for image conversion. */
export const imagePackages: OptionalPackages = { names: ["sharp"], purpose: "Resizing and converting images" };

/** The formats in which images of an extension are read and written. */
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

/**
 * Maximum number of pixels of an image, over all its frames: the largest photographs of phones, 200 MB when decoded.
 */
const maxPixels = 50_000_000;

/** Images in these formats have a lower limit, because encoding one pixel costs a hundred times as much. */
const maxWritten: Readonly<Partial<Record<Format, number>>> = {
  avif: 4096 * 4096,
  gif: 4096 * 4096,
  webp: 4096 * 4096,
};

/** At more effort `sharp` takes minutes for a few percent. */
const efforts: Readonly<Partial<Record<Format, { readonly effort: number }>>> = {
  avif: { effort: 0 },
  gif: { effort: 1 },
};

/** In seconds; a single call of an encoder is not interrupted, so pixels are limited too. */
const longest = 10;

/** Whether images of an extension can be converted. */
export function isChangeable(extension: string): boolean {
  return formats.has(extension);
}

/** The extension of a converted image. */
export function changedExtension(extension: string, { format }: ImageChange): string {
  if (format === undefined || formats.get(extension) === format) return extension;
  return format === "jpeg" ? "jpg" : format;
}

/**
 * Converts an image (contract C37): rotated by its EXIF orientation, resized, in its format, without metadata. `sharp`
 * is loaded with the first one.
 *
 * @param unreadable creates the error of an image that cannot be converted
 * @throws {HttpError} that error, or 503 if it takes too long
 */
export async function changeImage(
  input: Buffer,
  { extension, change, unreadable }: { extension: string; change: ImageChange; unreadable: () => Error },
): Promise<Buffer> {
  const { default: sharp } = await import("sharp").catch(whenMissing("fileUpload.image", imagePackages));
  const format = change.format ?? formats.get(extension) ?? "png";
  const animated = (extension === "gif" || extension === "webp") && (format === "gif" || format === "webp");
  const options: SharpOptions = { limitInputPixels: maxPixels, failOn: "error", animated };
  const original = await measure(sharp(input, options)).catch((cause) => {
    throw Object.assign(unreadable(), { cause });
  });
  const size = sizeOf({ ...change, maxPixels: (maxWritten[format] ?? maxPixels) / original.frames }, original.size);
  const image = sharp(input, options).autoOrient().timeout({ seconds: longest });
  if (size.width !== original.size.width || size.height !== original.size.height) {
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

/** The error of a conversion without room or time. */
export const conversionsBusy = (options: { readonly cause?: unknown } = {}) =>
  uploadErrors.ConversionsBusy(undefined, { ...options, headers: { "Retry-After": "5" } });

/** The displayed size of an image, or of one frame of it. */
async function measure(image: Sharp): Promise<{ readonly size: Size; readonly frames: number }> {
  const { width, pageHeight, pages = 1, autoOrient } = await image.metadata();
  return pageHeight === undefined
    ? { size: autoOrient, frames: 1 }
    : { size: { width, height: pageHeight }, frames: pages };
}
