import type { Values } from "./cases.js";

const boundary = "----invariants";

/** A row as the text fields of a form, and the name and the content of a file. */
export function toForm(
  values: Values,
  files: Readonly<Record<string, readonly [name: string, content: string]>> = {},
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const part = (disposition: string, content: unknown): string =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
  const parts = [
    ...Object.entries(values).map(([name, value]) => part(`name="${name}"`, value)),
    ...Object.entries(files).map(([name, [file, content]]) => part(`name="${name}"; filename="${file}"`, content)),
  ];
  return {
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: `${parts.join("")}--${boundary}--\r\n`,
  };
}

/** Rows as CSV with all columns of the first one. */
export function toCsv(rows: readonly Values[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => names.map((name) => cell(row[name])).join());
  return [names.join(), ...lines].join("\r\n");
}

/** Null is an empty cell, an empty text is `""`. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return `"${text.replaceAll('"', '""')}"`;
}

export const toLines = (rows: readonly Values[]): string => rows.map((row) => JSON.stringify(row)).join("\n");
