import type { IssueList } from "@servicekit/core/internal";
import type { ModuleParts } from "./module-parts.js";

/**
 * A kind of module: its folder, and the exports of its files. It is defined by the package that uses it (contract C44).
 */
export interface ModuleKind {
  /** The name of the folder, and of its files: the kebab-case name of a model, `auth` or `file-upload`. */
  readonly name: string;
  readonly hooks: readonly string[];
  /** The names of its schemas; none if it has no schemas. */
  readonly schemas: readonly string[];
  /** The names of its subscribers to changes; none if it has no rows. */
  readonly events?: readonly string[];
  /** Checks the default export of `<name>.model`, an object, and records its issues. */
  readonly checkConfig?: (where: string, config: Readonly<Record<string, unknown>>, issues: IssueList) => void;
  /** Checks all files of the module together. */
  readonly checkParts?: (parts: ModuleParts, issues: IssueList) => void;
}
