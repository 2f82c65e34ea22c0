/** The schemas that a module can give, with what each validates. */
export const schemaNames = ["create", "update", "query", "createOne", "updateOne", "createMany", "updateMany"] as const;

/** `create` and `update` hold for one row and for each item of many; an operation's own goes before them (contract C44). */
export type SchemaName = (typeof schemaNames)[number];

/** Which library the schemas of modules are written with (contract C12). */
export type Resolver = "zod" | "class-validator";
