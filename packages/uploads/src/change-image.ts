import type { Duplex } from "node:stream";
import type { ImageOptions } from "./settings.js";

/** The formats that images of an extension are read and written in. */
const formats: ReadonlyMap<string, "jpeg" | "png" | "webp" | "gif" | "avif" | "tiff"> = new Map([
  ["jpg", "jpeg"],
  ["jpeg", "jpeg"],
  ["png", "png"],
  ["webp", "webp"],
  ["gif", "gif"],
  ["avif", "avif"],
  ["tif", "tiff"],
  ["tiff", "tiff"],
]);

/** An image of more pixels would need a gigabyte to be decoded, however small its file is. */
const mostPixels = 100_000_000;

/** Whether images of an extension can be changed. */
export function isChangeable(extension: string): boolean {
  return formats.has(extension);
}

/** The extension that a changed image has. */
export function changedExtension(extension: string, { format }: ImageOptions): string {
  if (format === undefined || formats.get(extension) === format) return extension;
  return format === "jpeg" ? "jpg" : format;
}

/**
 * A stream that changes an image (contract C37): turned as its camera was held, resized, written in its format, without
 * its metadata. `sharp` is loaded with the first one.
 */
export async function changeImage(extension: string, options: ImageOptions): Promise<Duplex> {
  const { default: sharp } = await import("sharp");
  const { width, height, fit, quality } = options;
  const format = options.format ?? formats.get(extension) ?? "png";
  const isAnimation = (extension === "gif" || extension === "webp") && (format === "gif" || format === "webp");
  const image = sharp({ limitInputPixels: mostPixels, failOn: "error", animated: isAnimation }).autoOrient();
  if (width !== undefined || height !== undefined) {
    image.resize({
      ...(width === undefined ? {} : { width }),
      ...(height === undefined ? {} : { height }),
      ...(fit === undefined ? {} : { fit }),
    });
  }
  return image.toFormat(format, quality === undefined ? {} : { quality });
}
