import { nearestWord, toJsonPointer } from "@servicekit/core/internal";
import { imageSchema } from "@servicekit/router/settings";
import { uploadErrors } from "../errors.js";
import type { FileCategory } from "../files/file-category.js";
import type { UploadSettings } from "../settings.js";
import type { ImageChange } from "./image-size.js";

const known = Object.keys(imageSchema.shape);

/**
 * The image options in the query of an upload (contract C37), such as `?width=200&format=webp`, within the configured
 * limits: none without `imageQuery`. Other parameters may belong to hooks.
 *
 * @throws {HttpError} 400 that names each parameter that is unknown, disabled, or out of range
 */
export function readImageQuery(
  query: Readonly<Record<string, unknown>>,
  category: FileCategory,
  { imageQuery, takesOthers }: Pick<UploadSettings, "imageQuery"> & { readonly takesOthers: boolean },
): ImageChange | undefined {
  const given = Object.keys(query).filter((key) => !takesOthers || known.includes(key));
  if (given.length === 0) return undefined;
  const unknown = given.filter((key) => !known.includes(key));
  throwIfAny(unknown.map((key) => ({ key, code: "UnknownParameter", message: describeUnknown(key) })));
  const closed =
    category !== "images"
      ? "Only images can be changed."
      : imageQuery === undefined
        ? "Clients cannot set image options on this route."
        : undefined;
  if (closed !== undefined || imageQuery === undefined) {
    throw makeError(given.map((key) => ({ key, code: "ClosedParameter", message: closed ?? "" })));
  }
  const parsed = imageSchema.safeParse(Object.fromEntries(given.map((key) => [key, toNumber(query[key])])));
  throwIfAny(
    parsed.error?.issues.map(({ path, message }) => ({ key: String(path[0]), code: "InvalidValue", message })) ?? [],
  );
  const options = parsed.data as ImageChange;
  const { maxWidth, maxHeight, formats } = imageQuery;
  const issues: QueryIssue[] = [];
  const over = (key: string, message: string): void => void issues.push({ key, code: "ValueOutOfRange", message });
  if ((options.width ?? 0) > maxWidth) over("width", `Maximum: ${maxWidth}.`);
  if ((options.height ?? 0) > maxHeight) over("height", `Maximum: ${maxHeight}.`);
  if (options.format !== undefined && !formats.includes(options.format))
    over("format", `One of ${formats.join(", ")}.`);
  throwIfAny(issues);
  return { ...options, within: { width: maxWidth, height: maxHeight } };
}

interface QueryIssue {
  readonly key: string;
  readonly code: string;
  readonly message: string;
}

function throwIfAny(issues: readonly QueryIssue[]): void {
  if (issues.length > 0) throw makeError(issues);
}

function makeError(issues: readonly QueryIssue[]) {
  return uploadErrors.InvalidImageOptions(undefined, {
    errors: issues.map(({ key, code, message }) => ({
      in: "query",
      path: toJsonPointer([key.slice(0, 200)]),
      code,
      message,
    })),
  });
}

function describeUnknown(key: string): string {
  const near = nearestWord(key, known);
  return `Unknown upload parameter${near === undefined ? `; expected one of ${known.join(", ")}.` : `. Did you mean ${near}?`}`;
}

function toNumber(value: unknown): unknown {
  return typeof value === "string" && /^\d{1,6}$/.test(value) ? Number(value) : value;
}
