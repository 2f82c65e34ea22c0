import type { Request as ExpressRequest } from "express";

/** The values of a request whose types a declaration may convert. */
// biome-ignore lint/suspicious/noExplicitAny: every converted type fits, as every body fits in Express's own Request.
type Values = Record<string, any>;

/**
 * The request of any handler, hook or row rule: a parameter of functions that all of them call. Handlers of declared
 * routes have converted parameters, so their requests do not fit in the `Request` of Express.
 */
export type Request = ExpressRequest<Values, unknown, Values[string], Values>;
