import { HttpError, type ValidationIssue } from "@servicekit/core";
import type { Request } from "express";

/** Replaces the places of issues in a body by those in what the client sent. */
export type PlaceIssues = (issues: readonly ValidationIssue[]) => readonly ValidationIssue[];

const places = new WeakMap<object, PlaceIssues>();

/** Sets how errors of a request name places in its body, for bodies that were converted from another format. */
export function setIssuePlaces(request: Request, place: PlaceIssues): void {
  places.set(request, place);
}

/** The same error with places in what the client sent. */
export function inSentPlaces(error: HttpError, request: Request): HttpError {
  const place = places.get(request);
  if (place === undefined || error.errors === undefined) return error;
  const { status, code, message, cause, headers } = error;
  const errors = place(error.errors);
  return new HttpError(status, code, message, { errors, cause, ...(headers === undefined ? {} : { headers }) });
}
