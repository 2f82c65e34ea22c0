import type { Model } from "@servicekit/prisma";
import type { AuthenticationConfig, RouteTable } from "@servicekit/router";
import type { Request, RequestHandler } from "express";

/** A model as one caller sees it. */
export interface SeenModel {
  readonly model: Model;
  /** The stored fields and relations that the caller may read. */
  readonly fields: ReadonlySet<string>;
  /** The stored fields and relations that the caller's bodies may contain. */
  readonly writable: ReadonlySet<string>;
  /** The operators by which each stored field can be filtered. */
  readonly operators: ReadonlyMap<string, readonly string[]>;
}

/** The parts of an OpenAPI document from which the tools of declared routes are made. */
export interface McpDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: unknown;
}

/** The service for agents, and its description. */
export interface McpContext {
  /** The name and the version of the service. */
  readonly info: { readonly name: string; readonly version: string };
  /** All routes of the application. */
  readonly table: RouteTable;
  /** All models by name, for the resource names of relations. */
  readonly models: ReadonlyMap<string, Model>;
  /** What the caller of a request may read of the models. */
  readonly visible: (request: Request) => Promise<readonly SeenModel[]>;
  /** Whether the caller of a request may use a route with this declaration; without it every caller may. */
  readonly allows?: ((request: Request, access: AuthenticationConfig) => boolean | Promise<boolean>) | undefined;
  /** Authenticates the sender of a token; absent if authentication is off. */
  readonly identify?: RequestHandler | undefined;
  /**
   * Handles a request as if it had arrived over the network.
   *
   * @param caller the request whose connection it belongs to
   */
  readonly fetch: (request: globalThis.Request, caller: Request) => Promise<globalThis.Response>;
  /** The document, even if it is not served. */
  readonly document: () => Promise<McpDocument>;
  /** The paths of the service's descriptions, with their titles; empty if there are none. */
  readonly descriptions: readonly ServedDescription[];
  /** Origins whose pages may send requests. A request without an origin does not come from a page. */
  readonly allowedOrigins: readonly string[];
  /** Receives internal errors. */
  readonly log?: ((error: unknown, request: Request) => void) | undefined;
}

/** A description that the service serves. */
export interface ServedDescription {
  readonly path: string;
  readonly title: string;
  readonly mimeType: string;
}
