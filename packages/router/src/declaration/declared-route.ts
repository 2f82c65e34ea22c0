import type { FieldFault } from "@servicekit/core";
import type { Request, RequestHandler } from "express";
import type { RouteConfig } from "./route-config.js";
import type { RouteDocumentation } from "./route-documentation.js";

/** The methods that a declaration can be made for. */
export const routeMethods = ["get", "post", "put", "patch", "delete"] as const;
/** A method that a route can declare. */
export type RouteMethod = (typeof routeMethods)[number];

/** What the caller of one request may name in its body. */
export interface BodyView {
  /** The body with another name, which no schema knows, for every key that the caller does not see. */
  conceal(body: unknown): unknown;
  /** What a schema said of the concealed body, in the words of the body that was sent and of what the caller sees. */
  tell(faults: readonly FieldFault[]): readonly FieldFault[];
}

/** Where a declared route comes from, for messages, discovery and documentation. */
export interface RouteOrigin {
  /** `file:line` of the declaration, or words such as `the model Track`. */
  readonly place: string;
  /** The resource it acts on, such as `media-type`. */
  readonly resource?: string;
  /** What it does, such as `createOne`. */
  readonly operation?: string;
  /** The model it was generated for. */
  readonly model?: string;
  /** Whether a row rule narrows which rows it reaches. */
  readonly hasRowRule?: boolean;
  /** What the package that generated it knows for the API documentation; called once, when the document is made. */
  readonly documentation?: () => RouteDocumentation;
  /**
   * Reads what a form's text fields bring as JSON would have brought it, before files are attached and the body is
   * validated: a route that was generated for a model knows the types of its fields.
   */
  readonly readFields?: (fields: Readonly<Record<string, unknown>>) => unknown;
  /**
   * Finds out what the caller may name in the body before a schema speaks of it: callers of a route that was generated for a
   * model may see different fields. `undefined` for who sees all of it.
   */
  readonly bodyView?: (request: Request) => BodyView | undefined | Promise<BodyView | undefined>;
  /** How many values a JSON body of this route may hold where that is more than the limit. */
  readonly bodyValues?: number;
  /** Counts in place of the global rate limit; routes that share one share its budget (contract C32). */
  readonly rateLimit?: RequestHandler;
}

/** A declared route is a value: everything about it stands here. */
export interface DeclaredRoute {
  /** Upper case, such as `GET`. */
  readonly method: string;
  /** As declared, without the prefix of the routers above. */
  readonly path: string;
  readonly config: RouteConfig;
  readonly handlers: readonly RequestHandler[];
  readonly origin: RouteOrigin;
}

/** The keys that a route declares, with `experimental.…` written out. */
export function declaredKeys(config: RouteConfig): readonly string[] {
  return Object.entries(config).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (key !== "experimental" || typeof value !== "object" || value === null) return [key];
    return Object.entries(value).flatMap(([inner, given]) => (given === undefined ? [] : [`experimental.${inner}`]));
  });
}

/** The value that a route declares under a key such as `rateLimit` or `experimental.uploads`. */
export function declaredValue(config: RouteConfig, key: string): unknown {
  return key
    .split(".")
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], config);
}
