import { z } from "zod";
import { handler } from "./option-values.js";

const flag = z.boolean().optional();
const words = z.array(z.string()).optional();

const ofZod = { error: handler.optional(), reportInput: flag, jitless: flag };

const ofClasses = {
  skipUndefinedProperties: flag,
  skipNullProperties: flag,
  skipMissingProperties: flag,
  whitelist: flag,
  forbidNonWhitelisted: flag,
  groups: words,
  always: flag,
  strictGroups: flag,
  dismissDefaultMessages: flag,
  validationError: z.strictObject({ target: flag, value: flag }).optional(),
  forbidUnknownValues: z
    .literal(true)
    .meta({ expected: "true, because unknown objects would pass otherwise (CVE-2019-18413)" })
    .optional(),
  stopAtFirstError: flag,
  enableDebugMessages: flag,
  transformOptions: z
    .strictObject({
      strategy: z.enum(["excludeAll", "exposeAll"]).optional(),
      excludeExtraneousValues: flag,
      groups: words,
      version: z.number().optional(),
      excludePrefixes: words,
      ignoreDecorators: flag,
      targetMaps: z.array(z.unknown()).optional(),
      enableCircularCheck: flag,
      enableImplicitConversion: flag,
      exposeDefaultValues: flag,
      exposeUnsetFields: flag,
    })
    .optional(),
};

/**
 * The options passed to the schema library (specification, "validationOptions"), by the resolver that selects it: those
 * of Zod's `safeParse`, or those of class-validator's `validate` with class-transformer's under `transformOptions`.
 */
export const validationOptionsSchemas = {
  zod: z.strictObject(ofZod),
  "class-validator": z.strictObject(ofClasses),
};
