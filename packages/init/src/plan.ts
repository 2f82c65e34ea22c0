/** What is added to a project. Nothing else is touched. */
export interface InitPlan {
  /** The absolute path of the project. */
  readonly root: string;
  /** New files. */
  readonly files: readonly PlannedFile[];
  /** Existing files that receive lines. */
  readonly changes: readonly PlannedChange[];
  /** Packages to install, each as `name@range`. */
  readonly packages: { readonly dependencies: readonly string[]; readonly devDependencies: readonly string[] };
  /** What the user has to know or do; full sentences or blocks of code. */
  readonly notes: readonly string[];
}

/** A new file of a project. */
export interface PlannedFile {
  /** The path relative to the project. */
  readonly place: string;
  readonly text: string;
}

/** An existing file with its text after the change. */
export interface PlannedChange extends PlannedFile {
  /** The added lines. */
  readonly added: readonly string[];
}

/** Whether the project already has everything. */
export const isEmptyPlan = ({ files, changes, packages }: InitPlan): boolean =>
  [files, changes, packages.dependencies, packages.devDependencies].every((list) => list.length === 0);
