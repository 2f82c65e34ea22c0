/**
 * The checks in generated modules, as text, because generated modules must not import these packages. Each is true for
 * what a column stores exactly (contract C12); the tests compare them with the derived schemas.
 */
export const valueChecks = {
  isText: `/** Text without NUL and lone surrogates, of at most this many characters. */
function isText(value: unknown, max = Number.POSITIVE_INFINITY): boolean {
  if (typeof value !== "string" || value.length > 2 * max) return false;
  if (value.includes("\\0") || /\\p{Cs}/u.test(value)) return false;
  return value.length <= max || [...value].length <= max;
}
`,
  isFixedText: `/** Text for a column that does not preserve trailing blanks. */
function isFixedText(value: unknown, max: number): boolean {
  return isText(value, max) && !String(value).endsWith(" ");
}
`,
  isUuid: `function isUuid(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}
`,
  isInet: `/** An IP address, with or without the bits of its network. */
function isInet(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const [, address = "", bits] = /^([0-9a-f:.]+)(?:\\/(0|[1-9]\\d{0,2}))?$/i.exec(value) ?? [];
  if (isIPv4(address)) return bits === undefined || Number(bits) <= 32;
  return isIPv6(address) && (bits === undefined || Number(bits) <= 128);
}
`,
  isXml: `/** XML without a declaration, which the column does not store. */
function isXml(value: unknown): boolean {
  return isText(value) && !/^\\s*<\\?xml/i.test(String(value));
}
`,
  isBits: `function isBits(value: unknown, min: number, max: number): boolean {
  return typeof value === "string" && /^[01]*$/.test(value) && value.length >= min && value.length <= max;
}
`,
  isBigInteger: `/** An integer as text, or as a number that is exact. */
function isBigInteger(value: unknown): boolean {
  if (typeof value === "number") return Number.isSafeInteger(value);
  if (typeof value !== "string" || !/^(0|-?[1-9]\\d{0,18})$/.test(value)) return false;
  return BigInt.asIntN(64, BigInt(value)) === BigInt(value);
}
`,
  isSingle: `/** A number that a column of single precision gives back. */
function isSingle(value: unknown): boolean {
  if (typeof value !== "number" || !Number.isFinite(Math.fround(value))) return false;
  const single = Math.fround(value);
  for (let digits = 1; digits <= 9; digits++) {
    const text = single.toPrecision(digits);
    if (Math.fround(Number(text)) === single) return Number(text) === value;
  }
  return false;
}
`,
  isDecimal: `/** A decimal as text, or as a number whose digits are exact, with so many digits before and after the point. */
function isDecimal(value: unknown, integer: number, fraction: number): boolean {
  const isExact = typeof value === "number" && String(value).replace(/[-.]/g, "").replace(/^0+/, "").length <= 15;
  const text = isExact ? String(value) : value;
  if (typeof text !== "string") return false;
  const [, before = "", after = ""] = /^-?(\\d{1,1000})(?:\\.(\\d{1,1000}))?$/.exec(text) ?? [];
  if (before === "") return false;
  return before.replace(/^0+/, "").length <= integer && after.replace(/0+$/, "").length <= fraction;
}
`,
  isDate: `/** ISO 8601 from year 1 to 9999, UTC without an offset, with a maximum number of decimal places of a second. */
function isDate(value: unknown, part: "moment" | "day" | "time", places: number): boolean {
  if (typeof value !== "string") return false;
  const pattern = /^(\\d{4}-\\d{2}-\\d{2})(?:[T ](\\d{2}:\\d{2})(?:(:\\d{2})(?:\\.(\\d{1,9}))?)?(Z|[+-]\\d{2}:\\d{2})?)?$/i;
  const match = pattern.exec(value);
  if (match === null) return false;
  const [, day = "", minutes = "00:00", seconds = ":00", digits = "", zone = "Z"] = match;
  const fraction = digits.replace(/0+$/, "");
  if (fraction.length > places) return false;
  const wall = \`\${day}T\${minutes}\${seconds}.\${fraction.slice(0, 3).padEnd(3, "0")}\`;
  const utc = new Date(\`\${wall}Z\`);
  if (Number.isNaN(utc.getTime()) || utc.toISOString() !== \`\${wall}Z\`) return false;
  const time = Date.parse(\`\${wall}\${zone.toUpperCase()}\`);
  if (!(time >= Date.parse("0001-01-01T00:00:00Z") && time <= Date.parse("9999-12-31T23:59:59.999Z"))) return false;
  if (part === "day") return time % 86_400_000 === 0;
  return part === "moment" || (time >= 0 && time < 86_400_000);
}
`,
  isBase64: `function isBase64(value: unknown): boolean {
  const pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;
  return typeof value === "string" && pattern.test(value);
}
`,
  isJson: `/** JSON whose texts and numbers the column preserves; a single number has up to 15 digits. */
function isJson(value: unknown, isInList = false): boolean {
  if (value === undefined || (isInList && value === null)) return false;
  const open: { readonly inner: unknown; readonly isAlone: boolean }[] = [{ inner: value, isAlone: true }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { inner, isAlone } = next;
    if (typeof inner === "string" && !isText(inner)) return false;
    if (typeof inner === "number" && !isPreservedInJson(inner, isAlone || isInList)) return false;
    if (typeof inner !== "object" || inner === null) continue;
    for (const entry of Object.entries(inner)) for (const part of entry) open.push({ inner: part, isAlone: false });
  }
  return true;
}

function isPreservedInJson(value: number, isRounded: boolean): boolean {
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  const [digits = ""] = String(value).split("e");
  return !isRounded || Number.isInteger(value) || digits.replace(/^[-0.]+|\\./g, "").length <= 15;
}
`,
} as const;

/** The name of a check. */
export type ValueCheck = keyof typeof valueChecks;

/** The checks that other checks call. */
const needs: Partial<Readonly<Record<ValueCheck, ValueCheck>>> = {
  isFixedText: "isText",
  isXml: "isText",
  isJson: "isText",
};

/** The text of these checks and of all that they call. */
export function checksText(used: ReadonlySet<ValueCheck>): string {
  const all = new Set([...used].flatMap((name) => [name, ...(needs[name] === undefined ? [] : [needs[name]])]));
  return Object.entries(valueChecks)
    .filter(([name]) => all.has(name as ValueCheck))
    .map(([, text]) => text)
    .join("\n");
}
