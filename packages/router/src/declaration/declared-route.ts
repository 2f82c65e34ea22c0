import type { IncomingMessage } from "node:http";
import type { ValidationIssue } from "@servicekit/core";
import type { Request, RequestHandler } from "express";
import type { Schema } from "../validation/schema.js";
import type { AuthenticationConfig } from "./authentication.js";
import type { RouteConfig } from "./route-config.js";
import type { RouteDocumentation } from "./route-documentation.js";

/** The methods of declarations. */
export const routeMethods = ["get", "post", "put", "patch", "delete"] as const;
/** A method that a route can declare. */
export type RouteMethod = (typeof routeMethods)[number];

/** The body keys that the caller of one request may use. */
export interface BodyView {
  /** The body with a different name, unknown to any schema, for every key that the caller may not see. */
  conceal(body: unknown): unknown;
  /** The issues of the concealed body, in terms of the original body and the visible fields. */
  report(issues: readonly ValidationIssue[]): readonly ValidationIssue[];
}

/** A further format of the bodies of a generated route, besides JSON. */
export interface BodyFormat {
  /** Its media type, such as `text/csv`. */
  readonly type: string;
  /**
   * Converts the bytes of a body, which are valid UTF-8, to the value that JSON would contain. `maxValues` is the maximum
   * number of values in a JSON body of the route.
   */
  readonly read: (bytes: Buffer, request: Request, maxValues: number) => unknown;
}

/** The origin of a declared route, for messages, discovery and documentation. */
export interface RouteOrigin {
  /** `file:line` of the declaration, or a description such as `the model Track`. */
  readonly place: string;
  /** Its resource, such as `media-type`. */
  readonly resource?: string;
  /** Its action, such as `createOne`. */
  readonly operation?: string;
  /** The model it was generated for. */
  readonly model?: string;
  /** Whether a row rule limits its rows. */
  readonly hasRowRule?: boolean;
  /** Further rights, which parameters of the route require. */
  readonly rights?: readonly RouteRight[];
  /** The generated documentation; called once, when the document is built. */
  readonly documentation?: () => RouteDocumentation;
  /**
   * Converts the text fields of a form to the values that JSON would contain, before files are attached and the body is
   * validated: a generated route has the types of its model's fields. `maxValues` is the maximum number of values in its
   * JSON texts.
   */
  readonly readFields?: (fields: Readonly<Record<string, unknown>>, maxValues: number) => unknown;
  /**
   * Determines the body keys that the caller may use before a schema validates them, because callers of a generated
   * route may see different fields. `undefined` for a caller who sees all of them.
   */
  readonly bodyView?: (request: Request) => BodyView | undefined | Promise<BodyView | undefined>;
  /** Chooses another schema of the body for requests with certain queries; `undefined` for that of `validation`. */
  readonly bodySchema?: (request: Request) => Schema | undefined;
  /** Maximum number of values in a JSON body of this route, if it is above the limit. */
  readonly bodyValues?: number;
  /** The formats of its bodies besides JSON, with the limits of JSON. */
  readonly bodyFormats?: readonly BodyFormat[];
  /** The media types of its responses besides JSON. */
  readonly mediaTypes?: readonly string[];
  /**
   * Whether a request comes from a client that has received events of this route: such clients give up after any status but 200, so
   * they receive the time after which they connect again in place of a temporary error.
   */
  readonly reconnects?: (request: IncomingMessage) => boolean;
  /** Counts in place of the global rate limit; routes that share one share its counter (contract C32). */
  readonly rateLimit?: RequestHandler;
}

/** A right that a parameter of a route requires besides the right to the route. */
export interface RouteRight {
  /** Such as `findDeleted`. */
  readonly name: string;
  readonly authentication: AuthenticationConfig;
}

/** A declared route as a value. */
export interface DeclaredRoute {
  /** Upper case, such as `GET`. */
  readonly method: string;
  /** As declared, without the prefixes of its routers. */
  readonly path: string;
  readonly config: RouteConfig;
  readonly handlers: readonly RequestHandler[];
  readonly origin: RouteOrigin;
}

/** The keys of a declaration, with `experimental.…` written out. */
export function declaredKeys(config: RouteConfig): readonly string[] {
  return Object.entries(config).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (key !== "experimental" || typeof value !== "object" || value === null) return [key];
    return Object.entries(value).flatMap(([inner, given]) => (given === undefined ? [] : [`experimental.${inner}`]));
  });
}

/** The declared value of a key such as `rateLimit` or `experimental.uploads`. */
export function declaredValue(config: RouteConfig, key: string): unknown {
  return key
    .split(".")
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], config);
}
