import type { FaultList } from "@servicekit/core/internal";
import type { ModuleParts } from "./module-parts.js";

/** A module that a service may have: a folder, and what its files may export. Its owner gives it (contract C44). */
export interface ModuleKind {
  /** The name of the folder, and of its files: the kebab-case name of a model, `auth` or `file-upload`. */
  readonly name: string;
  readonly hooks: readonly string[];
  /** The names of its schemas; none where it takes none. */
  readonly schemas: readonly string[];
  /** Looks at the default export of `<name>.model`, which is an object, and notes what is wrong with it. */
  readonly checkConfig?: (where: string, config: Readonly<Record<string, unknown>>, faults: FaultList) => void;
  /** Looks at all files of the module together. */
  readonly checkParts?: (parts: ModuleParts, faults: FaultList) => void;
}
