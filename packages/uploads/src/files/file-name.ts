import { randomBytes } from "node:crypto";

/** The extension of a client's file name: lower case, letters and digits only; `""` without a usable one. */
export function extensionOf(name: string): string {
  return /[^.]\.([a-z0-9]{1,10})$/.exec(name.toLowerCase())?.[1] ?? "";
}

/** The name of a stored file: 128 random bits and the extension, no text of the client (contract C34). */
export function makeFileName(extension: string): string {
  return `${randomBytes(16).toString("hex")}${extension === "" ? "" : `.${extension}`}`;
}

/** Whether a name has the form of {@link makeFileName}. */
export function isMadeName(name: string): boolean {
  return /^[0-9a-f]{32}(\.[a-z0-9]{1,10})?$/.test(name);
}

const windowsDevice = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Whether a name can be that of a public file: no path, not hidden, not a device, ASCII only. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/.test(name) && !name.endsWith(".") && !windowsDevice.test(name);
}

const longestName = 200;

/** A client's file name as data: one line of NFC text without a path, at most 200 characters. */
export function cleanOriginalName(name: string): string {
  const plain = name
    .toWellFormed()
    // Controls, line separators, and marks that reverse the reading direction.
    .replace(/[\p{Cc}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, "")
    .normalize("NFC");
  const base = plain.split(/[/\\]/).at(-1)?.trim() ?? "";
  const characters = [...base];
  if (characters.length <= longestName) return base === "" || base === "." || base === ".." ? "file" : base;
  const extension = extensionOf(base);
  const end = extension === "" ? "" : `.${extension}`;
  return `${characters.slice(0, longestName - end.length).join("")}${end}`;
}
