import { operators } from "@servicekit/query-parser/internal";

const entries = Object.entries(operators).filter(([, { operands }]) => operands !== "relation");

/** Our operators by Prisma's names for them. */
export const exactOperators: ReadonlyMap<string, string> = new Map(
  entries.filter(([name, { base }]) => base === name).map(([name]) => [name, name]),
);

/** The same beside `mode: "insensitive"`. */
export const looseOperators: ReadonlyMap<string, string> = new Map(
  entries.filter(([, { insensitive }]) => insensitive).map(([name, { base }]) => [base, name]),
);
