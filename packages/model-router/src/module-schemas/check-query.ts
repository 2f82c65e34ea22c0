import { httpErrors } from "@servicekit/core";
import { type Schema } from "@servicekit/router";
import { makeValidator } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import { rawSearch } from "../request/raw-path.js";

/**
 * Validates the query of a list with the module's schema `query`: all its parameters as the client wrote them, strings
 * or lists of strings. The schema's output is not used.
 */
export function checkQuery(schema: Schema, options: Readonly<Record<string, unknown>> | undefined): RequestHandler {
  const validate = makeValidator(schema, options);
  return async (request, _response, next) => {
    const verdict = await validate(readParameters(rawSearch(request)), "query");
    if (!verdict.valid) throw httpErrors.ValidationError(undefined, { errors: verdict.issues });
    next();
  };
}

function readParameters(search: string): Readonly<Record<string, string | readonly string[]>> {
  const parameters = new URLSearchParams(search);
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}
