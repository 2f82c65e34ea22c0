/** The generated description of one model (`api.ts` of `servicekit-prisma`). */
export interface ResourceApi {
  /** The key of a row: one value, or a tuple for a key of several fields; `never` without a key. */
  key: unknown;
  /** A row of a response, without relations. */
  row: object;
  /** The body of a new row; `never` if rows cannot be created. */
  create: unknown;
  /** The body of an update; `never` if rows cannot be updated. */
  update: unknown;
  /** The filters of each field. */
  filters: object;
  /** The target models of relations: `{ to, list?, nullable? }`. */
  relations: object;
}

/** The models of a service by resource name, as the generator writes them. */
export type ApiShape<Api> = { [Resource in keyof Api]: ResourceApi };

/** The types of a declared route, by its method and path: `"POST /api/orders/:id/ship"`. */
export interface RouteApi {
  /** The path parameters. @default a string or a number for each */
  params?: object;
  query?: object;
  body?: unknown;
  /** The complete body of the response. */
  response: unknown;
}

/** The declared routes that a client may call. */
export type RoutesShape<Routes> = { [Route in keyof Routes]: RouteApi };
