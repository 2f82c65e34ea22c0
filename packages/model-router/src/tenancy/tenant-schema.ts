import { z } from "zod";
import type { TenantConfig } from "./tenant-config.js";

const tenantOf = z.custom<TenantConfig["of"]>((value) => typeof value === "function");

/** The schema of the block `tenant`. */
export const tenantSchema = z.strictObject({
  field: z.string().min(1),
  of: tenantOf.meta({ expected: "a function that returns the tenant of a caller" }),
  shared: z.array(z.string()).meta({ expected: "a list of models" }).optional(),
});
