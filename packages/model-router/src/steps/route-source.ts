import type { IssueList } from "@servicekit/core/internal";
import type { Database } from "@servicekit/prisma";
import type { LogError } from "@servicekit/router/internal";
import type { Request, RequestHandler } from "express";
import type { ModelAccess } from "../access/operation-access.js";
import type { Access } from "../access/request-access.js";
import type { Deletions } from "../deletions/deletions.js";
import type { IndexHints } from "../index-hints/index-hints.js";
import type { ModelConfig } from "../model-config/model-config.js";
import type { DocumentationSource } from "../openapi/operation-documentation.js";
import type { InTurn } from "../operations/expensive-reads.js";
import type { ResponseStoreOf } from "../pipeline/run-and-store.js";
import { type BodySchemas, type GivenSchemas, makeBodySchemas } from "../resource/body/body-schemas.js";
import type { UserInfo, WritableModels } from "../resource/body/writable-model.js";
import type { IncludeLimits } from "../resource/config/resource-config.js";
import type { Resource, Resources } from "../resource/resource.js";
import type { ModelRouterSettings } from "../settings.js";
import type { RowLimits } from "../writes/limit-rows.js";
import type { RowWriter } from "../writes/row-writer.js";
import type { NewValues } from "../writes/write-scope.js";

/** The dependencies of all generated routes. */
export interface RouteSource {
  readonly database: Database;
  readonly settings: ModelRouterSettings;
  readonly access: ModelAccess | undefined;
  readonly users: UserInfo | undefined;
  readonly log: LogError | undefined;
  /** Ends the sessions and keys of inactive users. */
  readonly endSuspended: (() => Promise<void>) | undefined;
  /** Determines the view of the caller of a request. */
  readonly accessStep: RequestHandler;
  readonly bodyView: Access["bodyView"];
  readonly resources: Resources;
  readonly writables: WritableModels;
  readonly writer: RowWriter<Request>;
  readonly deletions: Deletions;
  readonly newValues: NewValues<Request> | undefined;
  readonly rowLimits: RowLimits;
  readonly inTurn: InTurn;
  /** Looks for indexes that lists lack; only in development. */
  readonly indexHints: IndexHints | undefined;
  /** Stores responses with their writes. */
  readonly responseStoreOf: ResponseStoreOf | undefined;
  /** The cached parts of the documentation. */
  readonly documented: DocumentationSource["made"];
  /** The named filter schemas of the document. */
  readonly filters: DocumentationSource["filters"];
  /** The schemas of modules. */
  readonly given: GivenSchemas;
  /** Receives the issues of module schemas. */
  readonly issues: IssueList;
}

/** What the routes of one model share. */
export interface ModelRoutes {
  readonly resource: Resource;
  readonly config: ModelConfig;
  readonly include: IncludeLimits;
  readonly schemas: () => BodySchemas;
  readonly source: RouteSource;
}

/** Creates what the routes of a model share. */
export function modelRoutes(resource: Resource, source: RouteSource): ModelRoutes {
  const { settings, writables, given } = source;
  const config = settings.models[resource.model.name] ?? {};
  return {
    resource,
    config,
    include: { ...settings.include, ...config.include },
    schemas: lazily(() => makeBodySchemas(resource, writables, given)),
    source,
  };
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
