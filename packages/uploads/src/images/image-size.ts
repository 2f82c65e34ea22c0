import type { ImageOptions } from "../settings.js";

/** Width and height in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The conversion of one image. */
export interface ImageChange extends ImageOptions {
  /** The maximum size of the result. */
  readonly within?: Size;
  /** The maximum number of pixels of the result. */
  readonly maxPixels?: number;
}

/**
 * The size of a converted image. It is neither enlarged nor padded: if the box is larger than the image, only its
 * proportions apply.
 */
export function sizeOf({ width, height, fit = "cover", within, maxPixels }: ImageChange, image: Size): Size {
  const wanted = boxOf(width, height, fit, image);
  const { width: widest, height: highest } = within ?? wanted;
  const max = maxPixels ?? Number.POSITIVE_INFINITY;
  const shrink = Math.min(
    1,
    widest / wanted.width,
    highest / wanted.height,
    Math.sqrt(max / (wanted.width * wanted.height)),
  );
  return { width: toPixels(wanted.width * shrink), height: toPixels(wanted.height * shrink) };
}

function boxOf(
  width: number | undefined,
  height: number | undefined,
  fit: NonNullable<ImageOptions["fit"]>,
  image: Size,
): Size {
  if (width === undefined && height === undefined) return image;
  if (height === undefined || width === undefined) {
    const factor = width === undefined ? (height ?? image.height) / image.height : width / image.width;
    return scale(image, Math.min(1, factor));
  }
  const box = { width, height };
  const [smaller, larger] = [width / image.width, height / image.height].sort((a, b) => a - b) as [number, number];
  switch (fit) {
    case "fill":
      return { width: Math.min(width, image.width), height: Math.min(height, image.height) };
    case "inside":
      return scale(image, Math.min(1, smaller));
    case "outside":
      return scale(image, Math.min(1, larger));
    case "contain":
      return scale(box, 1 / Math.max(1, smaller));
    case "cover":
      return scale(box, 1 / Math.max(1, larger));
  }
}

function scale({ width, height }: Size, factor: number): Size {
  return { width: width * factor, height: height * factor };
}

const toPixels = (length: number): number => Math.max(1, Math.round(length));
