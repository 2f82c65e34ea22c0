/** The contents of the files of one module (contract C44). */
export interface ModuleParts<Schema = unknown> {
  /** By name: a handler or a list of them. */
  readonly hooks?: Readonly<Record<string, ModuleHandler | readonly ModuleHandler[]>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly schemas?: Readonly<Record<string, Schema>>;
  readonly router?: ModuleHandler;
  /** The subscribers to changes, by name. */
  readonly events?: Readonly<Record<string, Subscriber>>;
}

/** A handler or a router of Express, whose types only its users need. */
export type ModuleHandler = (request: never, response: never, next: never) => unknown;

/** Runs for a change of a row. */
export type Subscriber = (event: never, context: never) => unknown;
