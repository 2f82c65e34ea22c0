import { httpErrors } from "@servicekit/core";
import { problemMediaType } from "@servicekit/core/internal";
import type { Request, RequestHandler } from "express";
import type { DeclaredRoute } from "../declaration/declared-route.js";
import { documentedMediaTypes } from "../declaration/openapi.js";

/** The parameters of a media type without its weight: a withoutParameters charset excludes no media type. */
const parameters = /;(?!\s*q\s*=)[^;,="]*(=("[^"]*"|[^;,"]*))?/gi;

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
  const types = own === undefined ? ["application/json"] : [...own, "application/json"];
  return [
    (request, _response, next) => {
      const { accept } = request.headers;
      if (accept === undefined || accept === "*/*" || accept === "application/json") return next();
      const withoutParameters = { headers: { accept: accept.replace(parameters, "") } } as Request;
      if (request.accepts.call(withoutParameters, ...types, problemMediaType) !== false) return next();
      next(httpErrors.NotAcceptable(own && `The response is ${own.join(", ")}, which the Accept header excludes.`));
    },
  ];
}
