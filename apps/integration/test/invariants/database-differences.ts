import type { DrawnCall } from "./material.js";
import type { Reply } from "./send.js";

/** A documented difference between databases: what cases leave out because of it, or how it is recognized. */
export interface DatabaseDifference {
  readonly name: string;
  /** Words of the guide to databases. */
  readonly documented: string;
  /** Fields that cases do not contain. */
  readonly fields?: readonly string[];
  /** Fields of which cases contain integers only. */
  readonly integers?: readonly string[];
  /** Whether a request is not drawn. */
  leavesOut?(call: DrawnCall): boolean;
  /** Removes the difference from the text of a response. */
  normalize?(text: string): string;
  /** Whether it explains that the response of PostgreSQL differs from that of another database. */
  explains?(call: DrawnCall, reference: Reply, other: Reply): boolean;
}

const isRejected = ({ status, text }: Reply, ...reasons: readonly string[]): boolean =>
  status === 400 && reasons.some((reason) => text.includes(reason));

/** The parameters of a query with their values. */
const parametersOf = ({ target }: DrawnCall): readonly (readonly [name: string, value: string])[] => [
  ...new URL(target, "http://localhost").searchParams,
];

/** To add one, add its record, and its sentence to the guide. */
export const databaseDifferences: readonly DatabaseDifference[] = [
  {
    name: "decimals",
    documented: "`Decimal` with every digit",
    fields: ["Item.price"],
    integers: ["Area.budget", "Reading.value"],
    // The tag of a response contains the digits.
    normalize: (text) =>
      text
        .replaceAll(/(\d)\.(0{4}|0{10})(?!\d)/g, "$1")
        .replace(/^etag: .*$/m, "etag: <of digits>")
        .replaceAll(/(etag\\*":\s*\\*")[^,}]+/g, "$1<of digits>"),
  },
  { name: "lists", documented: "list columns such as `String[]`", fields: ["Item.tags"] },
  {
    name: "column types",
    documented: "A field has the operators and the description of its type in the schema",
    fields: ["Item.address"],
    leavesOut: ({ body }) => JSON.stringify(body)?.includes("describe_resource") === true,
    explains: (_, reference) =>
      isRejected(
        reference,
        "The field id of Detail has no operator",
        "PostgreSQL has no minimum and maximum of its type",
      ),
  },
  {
    name: "enums",
    documented: "they are sorted by the alphabet of the stored values",
    leavesOut: (call) =>
      parametersOf(call).some(
        ([name, value]) =>
          (/^(sort|min|max)$/.test(name) && value.includes("kind")) || value.includes('{"kind":"desc"}'),
      ),
  },
  {
    name: "letters",
    documented: "find `A` for `a`, and not `É` for `é`",
    leavesOut: (call) =>
      parametersOf(call).some(
        ([name, value]) => /^search$|__i(contains|equals|startsWith|endsWith)$/.test(name) && /[^\0-\x7f]/.test(value),
      ),
  },
  {
    name: "dates",
    documented: "are stored and compared; others are 400, also in filters",
    explains: (_, __, other) => isRejected(other, "of the years 0 to 9999", "of the years 1000 to 9999"),
  },
  {
    name: "aggregates",
    documented: "no `countDistinct` and no `avg` of integers",
    explains: (_, __, other) => isRejected(other, "is read by Prisma Client", "the result is out of range"),
  },
  {
    name: "several unique keys",
    documented: "names the unique key that it checks first",
    explains: (_, ...replies) => replies.every(({ text }) => text.includes("UniqueConstraint")),
  },
  {
    name: "cursors of times",
    documented: "are read and compared in milliseconds, and no cursor follows their order",
    explains: (_, __, other) => isRejected(other, "A cursor does not support the order of"),
  },
];
