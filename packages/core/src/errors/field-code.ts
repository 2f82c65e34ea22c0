/** Codes of validation libraries that have a code of ours. */
const ours: Readonly<Record<string, string>> = {
  unrecognized_keys: "UnknownField",
  whitelistValidation: "UnknownField",
  custom: "InvalidValue",
  invalid_value: "InvalidValue",
};

/**
 * Returns the code of one validation issue in the style of all codes (contract C3): `too_small` and `isEmail` of the
 * validation libraries become `TooSmall` and `IsEmail`.
 */
export function fieldCode(word: string): string {
  const own = Object.hasOwn(ours, word) ? ours[word] : undefined;
  if (own !== undefined) return own;
  const words = word.split(/[^A-Za-z0-9]+/).filter((part) => part !== "");
  return words.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join("") || "InvalidValue";
}
