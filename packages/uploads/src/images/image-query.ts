import { nearestWord, toJsonPointer } from "@servicekit/core/internal";
import { imageSchema } from "@servicekit/router/settings";
import { uploadErrors } from "../errors.js";
import type { FileCategory } from "../files/file-category.js";
import type { UploadSettings } from "../settings.js";
import type { ImageChange } from "./image-size.js";

const known = Object.keys(imageSchema.shape);

/**
 * The image options in the query of an upload (contract C37), such as `?width=200&format=webp`, within what the
 * configuration opens to clients: nothing without `imageQuery`. Other parameters can be meant for hooks only.
 *
 * @throws {HttpError} 400 that names each parameter that is unknown, not opened, or out of its range
 */
export function readImageQuery(
  query: Readonly<Record<string, unknown>>,
  category: FileCategory,
  { imageQuery, takesOthers }: Pick<UploadSettings, "imageQuery"> & { readonly takesOthers: boolean },
): ImageChange | undefined {
  const given = Object.keys(query).filter((key) => !takesOthers || known.includes(key));
  if (given.length === 0) return undefined;
  const strange = given.filter((key) => !known.includes(key));
  refuse(strange.map((key) => ({ key, code: "UnknownParameter", message: strangeWords(key) })));
  const closed =
    category !== "images"
      ? "Only images can be changed."
      : imageQuery === undefined
        ? "How images are changed is not for clients to say here."
        : undefined;
  if (closed !== undefined || imageQuery === undefined) {
    throw refusal(given.map((key) => ({ key, code: "ClosedParameter", message: closed ?? "" })));
  }
  const parsed = imageSchema.safeParse(Object.fromEntries(given.map((key) => [key, toNumber(query[key])])));
  refuse(
    parsed.error?.issues.map(({ path, message }) => ({ key: String(path[0]), code: "InvalidValue", message })) ?? [],
  );
  const options = parsed.data as ImageChange;
  const { maxWidth, maxHeight, formats } = imageQuery;
  const faults: QueryFault[] = [];
  const over = (key: string, message: string): void => void faults.push({ key, code: "ValueOutOfRange", message });
  if ((options.width ?? 0) > maxWidth) over("width", `At most ${maxWidth}.`);
  if ((options.height ?? 0) > maxHeight) over("height", `At most ${maxHeight}.`);
  if (options.format !== undefined && !formats.includes(options.format))
    over("format", `One of ${formats.join(", ")}.`);
  refuse(faults);
  return { ...options, within: { width: maxWidth, height: maxHeight } };
}

interface QueryFault {
  readonly key: string;
  readonly code: string;
  readonly message: string;
}

function refuse(faults: readonly QueryFault[]): void {
  if (faults.length > 0) throw refusal(faults);
}

function refusal(faults: readonly QueryFault[]) {
  return uploadErrors.InvalidImageOptions(undefined, {
    errors: faults.map(({ key, code, message }) => ({
      in: "query",
      path: toJsonPointer([key.slice(0, 200)]),
      code,
      message,
    })),
  });
}

function strangeWords(key: string): string {
  const near = nearestWord(key, known);
  return `There is no such parameter of an upload; ${near === undefined ? `known are ${known.join(", ")}.` : `did you mean ${near}?`}`;
}

function toNumber(value: unknown): unknown {
  return typeof value === "string" && /^\d{1,6}$/.test(value) ? Number(value) : value;
}
