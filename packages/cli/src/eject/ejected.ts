import path from "node:path";
import type { Model, StoredField } from "@servicekit/prisma";
import { isHidden, storedFields } from "@servicekit/prisma/internal";

/** The package that written files import; it depends on this one. */
export const umbrella = "@servicekit/service";

/** The operations that can be written as code. */
export const ejectable = ["findMany", "findOne", "createOne", "updateOne", "deleteOne"] as const;
export type Ejectable = (typeof ejectable)[number];

/** An operation to write as code. */
export interface Ejected {
  readonly model: Model;
  readonly operation: Ejectable;
  /** That of the route. */
  readonly path: string;
  /** The authentication of the route, as in its configuration. */
  readonly authentication: unknown;
  /** The field of `:id`. */
  readonly key: StoredField;
  /** The export of the module's schemas that bodies are also validated against. */
  readonly bodySchema: "create" | "update" | undefined;
  /** The path of the Prisma client, relative to the root. */
  readonly client: string;
}

/** The name of the router, its file and its test. */
export function namesOf({ model, operation }: Pick<Ejected, "model" | "operation">) {
  const words = operation.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const file = `${model.resource}-${words}`;
  return {
    router: `${model.delegate}${operation.charAt(0).toUpperCase()}${operation.slice(1)}`,
    route: path.join("src", "routes", `${file}.ts`),
    test: path.join("test", `${file}.test.ts`),
    module: path.join("src", "modules", model.resource, `${model.resource}.model.ts`),
  };
}

/** The columns of a response. */
export function shownFields(model: Model): readonly StoredField[] {
  return storedFields(model).filter((field) => !isHidden(field));
}
