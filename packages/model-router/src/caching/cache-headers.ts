import type { Model } from "@servicekit/prisma";
import { callerOf } from "@servicekit/router";
import type { Request, RequestHandler, Response } from "express";
import { relatedModels } from "../access/related-models.js";
import { modelState } from "../request/request-state.js";
import { hasRowRule } from "../resource/config/has-row-rule.js";
import { isRecorded } from "../resource/config/recorded-changes.js";
import { keyText } from "../resource/key.js";
import type { ModelConfig } from "../settings.js";
import type { ModelRoutes } from "../steps/route-source.js";
import { surrogateKeys } from "./surrogate-keys.js";

/** Some CDNs ignore longer headers. */
const maxKeyCharacters = 8192;

/**
 * Sets the headers for caches of a successful read of a model with `cache` (contract C124): those of the configuration if the
 * response is the same for every client without credentials, and otherwise `private, no-cache`.
 */
export function cacheHeaders({ resource, config, source }: ModelRoutes): readonly RequestHandler[] {
  const { cache } = config;
  if (cache === undefined) return [];
  const { settings } = source;
  const { maxAge, staleWhileRevalidate = 0, public: isPublic = false } = cache;
  const fresh = [
    isPublic ? "public" : "private",
    `max-age=${maxAge}`,
    ...(staleWhileRevalidate === 0 ? [] : [`stale-while-revalidate=${staleWhileRevalidate}`]),
  ].join(", ");
  const { surrogateKeyHeader } = settings;
  const hasKeys = isPublic && surrogateKeyHeader !== undefined && isRecorded(config);
  const dependent = new Set(
    Object.keys(settings.models).filter((name) => dependsOnCaller(settings.models[name] ?? {})),
  );
  return [
    (request, response, next) => {
      next(setHeaders(request, response));
    },
  ];

  function setHeaders(request: Request, response: Response): undefined {
    if (response.headersSent || response.statusCode !== 200) return undefined;
    if (source.access !== undefined) response.vary("Authorization, Cookie");
    const related = relatedModels(request, resource.model, source.resources);
    const isSame = !hasCredentials(request, response) && related.every(({ name }) => !dependent.has(name));
    const keys = isSame && hasKeys ? keysOf(request, related) : undefined;
    if (!isSame || keys === "too long") {
      response.setHeader("Cache-Control", "private, no-cache");
      return undefined;
    }
    // Also if this client accepts no coding.
    response.vary("Accept-Encoding");
    if (!response.hasHeader("Cache-Control")) response.setHeader("Cache-Control", fresh);
    if (keys !== undefined && surrogateKeyHeader !== undefined) response.setHeader(surrogateKeyHeader, keys);
    return undefined;
  }

  function keysOf(request: Request, related: readonly Model[]): string {
    const { model } = resource;
    const { key } = modelState(request);
    const { list, row } = surrogateKeys(model, key === undefined ? "" : keyText(model, key));
    const separator = surrogateKeyHeader === "Cache-Tag" ? "," : " ";
    const keys = [key === undefined ? list : row, ...related.map((one) => surrogateKeys(one, "").list)];
    const text = [...new Set(keys)].join(separator);
    return text.length > maxKeyCharacters ? "too long" : text;
  }
}

/** A response with a cookie is for one client. */
const hasCredentials = (request: Request, response: Response): boolean =>
  callerOf(request) !== undefined || request.headers.authorization !== undefined || response.hasHeader("Set-Cookie");

/** Whether different callers read different rows or fields of a model. */
const dependsOnCaller = (config: ModelConfig): boolean =>
  config.auth?.fields !== undefined || hasRowRule("findMany", config) || hasRowRule("findOne", config);
