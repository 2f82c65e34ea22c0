import { isZodSchema } from "@servicekit/router/internal";
import {
  byName,
  count,
  hook,
  router,
  rowRightsSchema,
  type ShapeOf,
  schemaValue,
  uploadsSchema,
} from "@servicekit/router/settings";
import { z } from "zod";
import { operationKeys } from "../resource/config/of-operation.js";
import { modelHookNames } from "./hook-names.js";
import type { ModelConfig } from "./model-config.js";
import { schemaNames } from "./model-schemas.js";

const fieldNames = z.array(z.string()).meta({ expected: "a list of field names" }).optional();

/** `select` and `omit`. */
const shown = z.looseObject({}).catchall(z.boolean().optional()).optional();
const order = z.looseObject({}).catchall(z.enum(["asc", "desc"]));
const read = { where: z.looseObject({}).optional(), select: shown, omit: shown };
const list = {
  ...read,
  orderBy: z
    .union([order, z.array(order)])
    .meta({ expected: "an object with asc or desc by field, or a list of them" })
    .optional(),
  take: count.optional(),
};

const readOptions = (shape: typeof read) =>
  z
    .strictObject(shape)
    .check(({ value, issues }) => {
      if (value.select === undefined || value.omit === undefined) return;
      issues.push({ code: "custom", message: "select and omit cannot be combined.", input: value });
    })
    .meta({ expected: "an object of query options" })
    .optional();

const aFunction = z
  .custom<() => never>((value) => typeof value === "function")
  .meta({ expected: "a function" })
  .optional();

/** Names and types are validated against the model. */
const computed = z.record(
  z.string(),
  z.strictObject({
    type: z.custom<z.ZodType>(isZodSchema).meta({ expected: "a Zod schema" }),
    needs: fieldNames,
    compute: aFunction,
    sql: aFunction,
  }),
);

const softDelete = z
  .union([z.boolean(), z.strictObject({ field: z.string().optional(), keep: z.array(z.string()).optional() })])
  .meta({ expected: "true, false or an object with field and keep" });

const seconds = z.int().min(0).max(31_536_000).meta({ expected: "a number of seconds, at most 31536000" });

const cache = z.strictObject({
  maxAge: seconds,
  staleWhileRevalidate: seconds.optional(),
  public: z.boolean().optional(),
});

const changes = z
  .strictObject({
    history: z.boolean().optional(),
    events: z.boolean().optional(),
    retention: z
      .strictObject({ days: z.number().positive().optional(), perRow: z.int().min(1).max(10_000).optional() })
      .check(({ value, issues }) => {
        if (value.days !== undefined || value.perRow !== undefined) return;
        issues.push({ code: "custom", message: "Set days, perRow or both.", input: value });
      })
      .optional(),
  })
  .meta({ expected: "true, false or an object with history, events and retention" });

const shape: ShapeOf<ModelConfig> = {
  operations: byName(operationKeys, z.boolean()).optional(),
  reachable: z.boolean().optional(),
  aggregate: z.boolean().optional(),
  upsert: z.boolean().optional(),
  changes: z.union([z.boolean(), changes]).optional(),
  export: z.boolean().optional(),
  import: z.boolean().optional(),
  cache: cache.optional(),
  count: z.enum(["exact", "estimated", "limited"]).optional(),
  softDelete: softDelete.optional(),
  page: byName(["default", "max"], count).optional(),
  bulkItems: count.optional(),
  include: byName(["depth", "rows", "total"], count).optional(),
  auth: rowRightsSchema(operationKeys).optional(),
  hidden: fieldNames,
  readonly: fieldNames,
  writable: fieldNames,
  computed: computed.optional(),
  searchable: fieldNames,
  search: z
    .strictObject({
      fields: z.array(z.string()).min(1).meta({ expected: "a list of field names" }),
      mode: z.enum(["fullText", "similarity"]).optional(),
      language: z
        .string()
        .regex(/^\w+(\.\w+)?$/)
        .meta({ expected: "the name of a text search configuration, such as english" })
        .optional(),
    })
    .optional(),
  query: z.strictObject({ findMany: readOptions(list), findOne: readOptions(read) }).optional(),
  uploads: byName(["createOne", "updateOne"], uploadsSchema).optional(),
  hooks: byName(modelHookNames, hook).optional(),
  schemas: byName(schemaNames, schemaValue).optional(),
  router: router.optional(),
};

/**
 * The schema of a model's configuration, in `service.init({ models })` and in the files of its module (contract C44).
 */
export const modelConfigSchema = z.strictObject(shape);
