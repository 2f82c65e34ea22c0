import type { DocumentObject, UploadsConfig } from "@servicekit/router";

/** The form fields of an upload with their limits, as properties of a form's schema. */
export function uploadProperties(uploads: UploadsConfig): Readonly<Record<string, DocumentObject>> {
  const { type, field, fields, maxCount } = uploads;
  const file: DocumentObject = { type: "string", format: "binary", ...describe(uploads) };
  const list = (max: number | undefined): DocumentObject => ({
    type: "array",
    items: file,
    ...(max === undefined ? {} : { maxItems: max }),
  });
  if (type === "single") return { [String(field)]: file };
  if (type === "array") return { [String(field)]: list(maxCount) };
  return Object.fromEntries((fields ?? []).map(({ name, maxCount: max }) => [name, max === 1 ? file : list(max)]));
}

function describe({ maxSize, allowedFileTypes }: UploadsConfig): { readonly description?: string } {
  const types = Array.isArray(allowedFileTypes) ? allowedFileTypes.join(", ") : allowedFileTypes?.toString();
  const words = [
    ...(maxSize === undefined ? [] : [`at most ${maxSize} bytes`]),
    ...(types === undefined ? [] : [`of the types ${types}`]),
  ];
  return words.length === 0 ? {} : { description: `A file, ${words.join(", ")}.` };
}
