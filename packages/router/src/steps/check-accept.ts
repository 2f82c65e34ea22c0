import { httpErrors } from "@servicekit/core";
import { problemMediaType } from "@servicekit/core/internal";
import type { Request, RequestHandler } from "express";
import type { DeclaredRoute } from "../declaration/declared-route.js";
import { documentedMediaTypes } from "../declaration/openapi.js";

/** All that stands behind a media type but its weight: a charset that is asked for excludes no media type. */
const parameters = /;(?!\s*q\s*=)[^;,="]*(=("[^"]*"|[^;,"]*))?/gi;

/**
 * The handler that refuses a request whose `Accept` excludes everything that a declared route answers with: JSON, or
 * the media types that its `experimental.openapi.responses` name (contract C5). A route that names every media type
 * answers with whatever there is, and of one that is left out of the documentation nobody says what it answers.
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
      const asked = { headers: { accept: accept.replace(parameters, "") } } as Request;
      if (request.accepts.call(asked, ...types, problemMediaType) !== false) return next();
      next(httpErrors.NotAcceptable(own && `The answer is ${own.join(", ")}, which the Accept header excludes.`));
    },
  ];
}
