// One address without separators and line ends: far less than RFC 5322 allows, but everything that is in use.
const address = /^[^\s\p{Cc}@<>()[\],;:\\"]+@[^\s\p{Cc}@<>()[\],;:\\"]+$/u;

/** Whether a value is one email address. */
export function isMailAddress(value: unknown): value is string {
  return typeof value === "string" && value.length <= 254 && address.test(value);
}
