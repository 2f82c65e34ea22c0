import type { Model } from "@servicekit/prisma";
import type { AuthenticationConfig, RouteTable } from "@servicekit/router";
import type { Request, RequestHandler } from "express";

/** A model as one caller sees it. */
export interface SeenModel {
  readonly model: Model;
  /** The stored fields and relations that the caller sees. */
  readonly fields: ReadonlySet<string>;
  /** The stored fields and relations that the caller's bodies may name. */
  readonly writable: ReadonlySet<string>;
  /** The operators by which each stored field can be filtered. */
  readonly operators: ReadonlyMap<string, readonly string[]>;
}

/** The parts of an OpenAPI document that tools of declared routes are made from. */
export interface McpDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: unknown;
}

/** What models ask, and by what is known of it. */
export interface McpContext {
  /** How the service is called, and its version. */
  readonly info: { readonly name: string; readonly version: string };
  /** All routes of the application. */
  readonly table: RouteTable;
  /** All models by name, to name the resources of relations. */
  readonly models: ReadonlyMap<string, Model>;
  /** What the caller of a request sees of the models. */
  readonly visible: (request: Request) => Promise<readonly SeenModel[]>;
  /** Whether the caller of a request may enter a route that declares this; everyone may where it is left out. */
  readonly allows?: ((request: Request, access: AuthenticationConfig) => boolean | Promise<boolean>) | undefined;
  /** Signs in whoever sends a token; left out where nobody can sign in. */
  readonly identify?: RequestHandler | undefined;
  /**
   * Answers a request as the service would that came over the network.
   *
   * @param caller whose connection it counts as
   */
  readonly fetch: (request: globalThis.Request, caller: Request) => Promise<globalThis.Response>;
  /** The document, also where it is not served. */
  readonly document: () => Promise<McpDocument>;
  /** The paths at which the service describes itself, with what each is; empty where it does not. */
  readonly descriptions: readonly ServedDescription[];
  /** Origins whose pages may ask; a request without an origin comes from no page. */
  readonly allowedOrigins: readonly string[];
  /** Is told of what went wrong here, and is no refusal. */
  readonly log?: ((error: unknown, request: Request) => void) | undefined;
}

/** A description that the service serves. */
export interface ServedDescription {
  readonly path: string;
  readonly title: string;
  readonly mimeType: string;
}
