/** The schemas of a module, with what each validates. */
export const schemaNames = ["create", "update", "query", "createOne", "updateOne", "createMany", "updateMany"] as const;

/**
 * `create` and `update` apply to one row and to each item of many; an operation's own schema takes precedence (contract
 * C44).
 */
export type SchemaName = (typeof schemaNames)[number];

/** The library of the module schemas (contract C12). */
export type Resolver = "zod" | "class-validator";
