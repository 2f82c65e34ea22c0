// One address and nothing that separates addresses or ends a header: far less than RFC 5322 allows, all that is in use.
const address = /^[^\s\p{Cc}@<>()[\],;:\\"]+@[^\s\p{Cc}@<>()[\],;:\\"]+$/u;

/** Whether a value is one mail address. */
export function isMailAddress(value: unknown): value is string {
  return typeof value === "string" && value.length <= 254 && address.test(value);
}
