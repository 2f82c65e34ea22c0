import type { Request, Response } from "express";
import { modelLocals } from "../request/request-state.js";
import { linkHeader } from "./link-header.js";

/** A page of results without a total. */
export interface NumberedPage {
  readonly page: number;
  readonly limit: number;
  /** The number of results of this page. */
  readonly count: number;
  readonly hasMore: boolean;
}

/** Sets `meta` and the header `Link` of a page. */
export function numberPage({ page, limit, count, hasMore }: NumberedPage, request: Request, response: Response): void {
  modelLocals(response).meta = { count, limit, page, hasMore };
  const link = linkHeader(request.originalUrl, {
    first: { page: 1 },
    ...(page > 1 ? { prev: { page: page - 1 } } : {}),
    ...(hasMore ? { next: { page: page + 1 } } : {}),
  });
  if (link !== undefined) response.setHeader("Link", link);
}
