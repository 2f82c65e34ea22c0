import type { TestedProvider } from "../../../../scripts/test/provider-database.js";
import type { CallerName } from "./callers.js";

/** Values by field, in the form of responses and bodies. */
export type Values = Readonly<Record<string, unknown>>;

/** A feature that a case configures. Cases are JSON, so that they are printed and shrunk as they are. */
export interface DrawnFeature {
  /** The name of its record. */
  readonly key: string;
  /** The configured model; `undefined` for a feature of the service. */
  readonly model?: string;
  /** What its record has drawn. */
  readonly value: unknown;
}

/** A row of a new database. */
export interface DrawnRow {
  readonly model: string;
  readonly values: Values;
  /** The keys of rows to which a list relation links the row. */
  readonly links?: Readonly<Record<string, readonly Values[]>>;
}

/** A request of a caller. */
export interface DrawnRequest {
  readonly caller: CallerName;
  /** The record that has drawn it. */
  readonly path: string;
  readonly method: string;
  /** Below `/api`. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent unchanged, all else as JSON. */
  readonly body?: unknown;
}

/** What every case has: a configuration and rows. */
export interface Setup {
  readonly provider: TestedProvider;
  readonly features: readonly DrawnFeature[];
  readonly rows: readonly DrawnRow[];
}
