import { isInstalled } from "@servicekit/errors";
import { uploadErrors } from "./errors.js";
import type { FileCategory } from "./file-category.js";
import { type ImageOptions, imageSchema } from "./settings.js";

/** What a client may ask for is smaller than what a declaration may. */
const mostPixels = 4096;

/**
 * The image options in the query of an upload (contract C37), such as `?width=200&format=webp`.
 *
 * @throws {HttpError} 400 for a value that is none, for another category than images, and where `sharp` is not installed
 */
export function readImageQuery(
  query: Readonly<Record<string, unknown>>,
  category: FileCategory,
): ImageOptions | undefined {
  const given = Object.keys(imageSchema.shape).filter((key) => query[key] !== undefined);
  if (given.length === 0) return undefined;
  if (category !== "images") throw uploadErrors.InvalidImageOptions("Only images can be changed.");
  if (!isInstalled("sharp", import.meta.url)) throw uploadErrors.InvalidImageOptions("Images cannot be changed here.");
  const parsed = imageSchema.safeParse(Object.fromEntries(given.map((key) => [key, toNumber(query[key])])));
  const faults = parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => ({ key: String(path[0]), message }));
  for (const key of ["width", "height"] as const) {
    if (parsed.success && (parsed.data[key] ?? 0) > mostPixels) faults.push({ key, message: `At most ${mostPixels}.` });
  }
  if (!parsed.success || faults.length > 0) {
    throw uploadErrors.InvalidImageOptions(undefined, {
      errors: faults.map(({ key, message }) => ({ in: "query", path: `/${key}`, code: "invalid", message })),
    });
  }
  return parsed.data as ImageOptions;
}

function toNumber(value: unknown): unknown {
  return typeof value === "string" && /^\d{1,6}$/.test(value) ? Number(value) : value;
}
