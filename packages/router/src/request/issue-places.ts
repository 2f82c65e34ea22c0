import type { HttpError, ValidationIssue } from "@servicekit/core";
import { withErrors } from "@servicekit/core/internal";
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
  return withErrors(error, place(error.errors));
}
