/** What the generator says of one model (`api.ts` of `servicekit-prisma`). */
export interface ResourceApi {
  /** What names a row: one value, or a tuple for a key of several fields; `never` without a key. */
  key: unknown;
  /** A row as an answer shows it, without relations. */
  row: object;
  /** The body of a new row; `never` where none can be made. */
  create: unknown;
  /** The body of a change; `never` where there is none. */
  update: unknown;
  /** What filters may say of each field. */
  filters: object;
  /** The models that relations lead to: `{ to, list?, nullable? }`. */
  relations: object;
}

/** The models of a service by the name of their resource, as the generator writes them. */
export type ApiShape<Api> = { [Resource in keyof Api]: ResourceApi };

/** What is said of a declared route, by its method and path: `"POST /api/orders/:id/ship"`. */
export interface RouteApi {
  /** The parameters of the path. @default a text or a number for each */
  params?: object;
  query?: object;
  body?: unknown;
  /** The whole body of the answer. */
  answer: unknown;
}

/** The declared routes that a client may call. */
export type RoutesShape<Routes> = { [Route in keyof Routes]: RouteApi };
