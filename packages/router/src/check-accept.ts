import { httpErrors, problemMediaType } from "@servicekit/errors";
import type { RequestHandler } from "express";
import type { DeclaredRoute } from "./declaration/declared-route.js";
import { documentedMediaTypes } from "./declaration/openapi.js";

/**
 * The handler that refuses a request whose `Accept` excludes everything that a declared route answers with: JSON, or
 * the media types that its `experimental.openapi.responses` name (contract C5). A route that names every media type
 * answers with whatever there is.
 */
export function checkAccept(route: DeclaredRoute): readonly RequestHandler[] {
  const own = documentedMediaTypes(route.config.experimental?.openapi);
  if (own?.includes("*/*")) return [];
  const types = own === undefined ? ["application/json"] : [...own, "application/json"];
  return [
    (request, _response, next) => {
      const { accept } = request.headers;
      if (accept === undefined || accept === "*/*" || accept === "application/json") return next();
      if (request.accepts([...types, problemMediaType]) !== false) return next();
      next(httpErrors.NotAcceptable(own && `The answer is ${own.join(", ")}, which the Accept header excludes.`));
    },
  ];
}
