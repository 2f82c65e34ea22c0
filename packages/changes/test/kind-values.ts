import { randomUUID } from "node:crypto";
import type { Clause } from "@servicekit/prisma";

/** Values of the columns of the model `Kind`, with a name for each. */
export const kindValues: readonly (readonly [string, Clause])[] = [
  ["nothing", {}],
  ["texts", { text: 'a "quoted" \\ text\n\u0001 \u{1f600}', padded: "ab", uuid: randomUUID(), address: "10.0.0.1/24" }],
  ["an empty text", { text: "", padded: "" }],
  ["numbers", { small: -32768, float: 0.1, decimal: "1.50", places: "12345678901.5", flag: false }],
  ["large numbers", { float: 1.7976931348623157e308, decimal: "12345678901234567890.123456789", flag: true }],
  ["small numbers", { float: 5e-324, decimal: "0.000000001", places: "-0.001" }],
  ["round numbers", { float: 1e21, decimal: "-1200000000000000000000000", places: "0" }],
  ["dates", { at: new Date("2026-02-03T04:05:06.007Z"), precise: new Date(0), day: new Date("2024-02-29") }],
  ["early dates", { at: new Date("0101-01-01T00:00:00Z"), day: new Date("0999-12-31") }],
  ["a list", { texts: ["a", "b,c", '"'], numbers: [1, -1], flags: [true, false] }],
  ["empty lists", { texts: [], numbers: [], flags: [] }],
  ["JSON", { data: { b: [1, null, "x", { c: 1e30 }], a: "\\u00e9" } }],
  ["bytes", { bytes: new Uint8Array(200).map((_, index) => index) }],
  ["an enum with another name in the database", { status: "PAID" }],
];
