import { z } from "zod";
import { ProductStatus } from "../generated/prisma/client.js";

const decimal = z.string().regex(/^\d{1,8}(\.\d{1,2})?$/);

/** The query of a list of products, as hand-written Express parses it. */
export const listQuery = z.strictObject({
  status: z.enum(ProductStatus).optional(),
  price: z.strictObject({ gte: decimal.optional(), lt: decimal.optional() }).optional(),
  sort: z
    .string()
    .regex(/^-?(price|name|stock)$/)
    .optional(),
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(1000).default(20),
  count: z.enum(["true", "false"]).default("true"),
  include: z.literal("category").optional(),
});

export const rowId = z.coerce.number().int().min(1);

export const newProduct = z.strictObject({
  sku: z.string().max(40),
  name: z.string().max(120),
  description: z.string().nullable().optional(),
  status: z.enum(ProductStatus).optional(),
  price: decimal,
  stock: z
    .int()
    .min(-(2 ** 31))
    .max(2 ** 31 - 1)
    .optional(),
  weight: z.number().nullable().optional(),
  featured: z.boolean().optional(),
  releasedAt: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
  categoryId: z.int().min(1),
});

export const changedProduct = newProduct.partial();

/** The `orderBy` of a list; the id is the last key, so that pages are stable. */
export function toOrder(sort: string) {
  const name = sort.replace("-", "");
  const direction = sort.startsWith("-") ? "desc" : "asc";
  return name === "id" ? [{ id: "asc" as const }] : [{ [name]: direction as "asc" | "desc" }, { id: "asc" as const }];
}

/** Without undefined properties: Prisma's types distinguish `undefined` from a missing property. */
export type Present<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };
export const present = <T extends object>(value: T): Present<T> => value as Present<T>;

/** A row of a response: amounts with all digits, because Prisma's `Decimal` drops trailing zeros. */
export const shown = <Row extends { readonly price: { toFixed(digits: number): string } }>(row: Row) => ({
  ...row,
  price: row.price.toFixed(2),
});
