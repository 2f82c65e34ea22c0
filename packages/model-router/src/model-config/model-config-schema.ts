import { byName, count, hook, router, rowRightsSchema, type ShapeOf, schemaValue } from "@servicekit/router/settings";
import { z } from "zod";
import { operationKeys } from "../resource/of-operation.js";
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

/** Its contents are validated with the declarations of the routes, of which it becomes a part. */
const uploads = z.looseObject({}).meta({ expected: "an object, as for experimental.uploads" });

const shape: ShapeOf<ModelConfig> = {
  operations: byName(operationKeys, z.boolean()).optional(),
  reachable: z.boolean().optional(),
  aggregate: z.boolean().optional(),
  upsert: z.boolean().optional(),
  page: byName(["default", "max"], count).optional(),
  bulkItems: count.optional(),
  include: byName(["depth", "rows", "total"], count).optional(),
  auth: rowRightsSchema(operationKeys).optional(),
  hidden: fieldNames,
  readonly: fieldNames,
  writable: fieldNames,
  searchable: fieldNames,
  query: z.strictObject({ findMany: readOptions(list), findOne: readOptions(read) }).optional(),
  uploads: byName(["createOne", "updateOne"], uploads).optional(),
  hooks: byName(modelHookNames, hook).optional(),
  schemas: byName(schemaNames, schemaValue).optional(),
  router: router.optional(),
};

/**
 * The schema of a model's configuration, in `service.init({ models })` and in the files of its module (contract C44).
 */
export const modelConfigSchema = z.strictObject(shape);
