import type { z } from "zod";
import type { PassOn } from "./pass-on.js";
import type { WriteMode } from "./relation-act.js";
import type { WritableModel, WritableModels, WritableRelation } from "./writable-model.js";

/** The place of a row in a body. */
export interface RowPlace {
  readonly mode: WriteMode;
  /** The number of relations that lead to it. */
  readonly depth: number;
  /** The fields and relations that its place determines. */
  readonly settled: ReadonlySet<string>;
  /** Whether nothing is required: the module's schema defines that, and a hook may add missing fields. */
  readonly isGuard?: boolean;
  /** Fields that are read differently, or in addition to those of the model. */
  readonly more?: Readonly<Record<string, z.ZodType>>;
}

/** The dependencies of all body schemas. */
export interface SchemaSource {
  readonly writables: WritableModels;
  /** Maximum number of rows in one nested list. */
  readonly rows: number;
  /** The schemas of relations so far, by mode and depth: many paths lead to the same relation. */
  readonly made: Map<WritableRelation, Map<string, z.ZodType>>;
  /** `makeRowSchema`, because relations lead back to rows. */
  readonly rowSchema: (writable: WritableModel, place: RowPlace, source: SchemaSource) => z.ZodType;
  /** Passes input to an inner schema: synchronously, or asynchronously if it contains a module's schema. */
  readonly passOn: PassOn;
}
