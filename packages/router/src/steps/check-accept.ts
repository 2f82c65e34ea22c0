import { httpErrors } from "@servicekit/core";
import { problemMediaType } from "@servicekit/core/internal";
import type { RequestHandler } from "express";
import type { DeclaredRoute } from "../declaration/declared-route.js";
import { documentedMediaTypes } from "../declaration/openapi.js";
import { preferredType } from "../request/preferred-type.js";

/**
 * The handler that rejects a request whose `Accept` excludes all media types of a declared route: JSON, or those in its
 * `experimental.openapi.responses` (contract C5). A route that documents any media type accepts every request, as does
 * one without documentation.
 */
export function checkAccept(route: DeclaredRoute): readonly RequestHandler[] {
  const { openapi } = route.config.experimental ?? {};
  if (openapi === false && route.origin.documentation === undefined) return [];
  const own = documentedMediaTypes(openapi);
  if (own?.includes("*/*")) return [];
  const { mediaTypes } = route.origin;
  const types = [...(own ?? []), "application/json", ...(mediaTypes ?? []), problemMediaType];
  const shown = own ?? (mediaTypes && ["application/json", ...mediaTypes]);
  return [
    (request, response, next) => {
      const { accept } = request.headers;
      if (accept === undefined || accept === "*/*" || accept === "application/json") return next();
      if (preferredType(request, types) !== undefined) return next();
      // The header chooses the response (RFC 9110, section 12.5.5).
      if (mediaTypes !== undefined) response.vary("Accept");
      next(httpErrors.NotAcceptable(shown && `The response is ${shown.join(", ")}, which the Accept header excludes.`));
    },
  ];
}
