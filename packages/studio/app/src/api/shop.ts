import { isApiError, makeClient } from "@servicekit/client";
import { baseUrl, hasLogin } from "./page-data.js";
import { noteRequest, toLiteral, toParts, withoutSecrets } from "./sent-requests.js";

/** A row, whose type is only known at run time. */
export type Row = Readonly<Record<string, unknown>>;
export type Where = Readonly<Record<string, unknown>>;

export interface Question {
  readonly where?: Where;
  readonly search?: string;
  readonly sort?: readonly string[];
  readonly fields?: readonly string[];
  readonly include?: Readonly<Record<string, unknown>>;
  readonly page?: number;
  readonly limit?: number;
  readonly cursor?: string;
  readonly count?: boolean | "exact";
  readonly deleted?: "only";
}

/** The number of all matching rows. */
export interface RowTotal {
  readonly total?: number;
  readonly estimated?: true;
  readonly limited?: true;
}

export interface Page {
  readonly data: readonly Row[];
  readonly meta: RowTotal & { readonly count: number; readonly nextCursor?: string | null };
}

/** A change in the history of a row (contract C107). */
export interface HistoryEntry {
  readonly id: string;
  readonly time: string;
  readonly operation: "create" | "update" | "delete";
  readonly actor: string;
  readonly changed: readonly string[];
  readonly before: Row | null;
  readonly after: Row | null;
}

export interface HistoryPage {
  readonly data: readonly HistoryEntry[];
  readonly meta: { readonly hasMore: boolean };
}

/** The response to a restored state (contract C108). */
export interface RestoredState {
  readonly meta: { readonly restored: readonly string[]; readonly notWritable: readonly string[] };
}

/** The question for a summary (contract C98). */
export interface SummaryQuestion extends Pick<Question, "where" | "search" | "sort" | "page" | "limit" | "deleted"> {
  readonly count?: boolean;
  readonly groupBy?: readonly string[];
  readonly sum?: readonly string[];
  readonly avg?: readonly string[];
  readonly min?: readonly string[];
  readonly max?: readonly string[];
  readonly countDistinct?: readonly string[];
  readonly timeZone?: string;
}

/** One group of a summary. */
export interface SummaryRow {
  readonly group?: Row;
  readonly count?: number;
  readonly sum?: Row;
  readonly avg?: Row;
  readonly min?: Row;
  readonly max?: Row;
  readonly countDistinct?: Row;
}

export interface SummaryGroups {
  readonly data: readonly SummaryRow[];
  readonly meta: { readonly count: number; readonly hasMore: boolean };
}

interface Options {
  readonly signal?: AbortSignal;
  readonly ifMatch?: string | false;
  readonly idempotencyKey?: string;
  readonly permanent?: boolean;
}

/** The operations of one model, untyped. */
interface AnyResource {
  list(question?: Question, options?: Options): Promise<Page>;
  aggregate(question: SummaryQuestion, options?: Options): Promise<SummaryGroups>;
  read(key: readonly unknown[], shape?: Question): Promise<{ data: Row }>;
  create(body: Row | FormData, options?: Options): Promise<{ data: Row } | undefined>;
  update(key: readonly unknown[], changes: Row | FormData, options?: Options): Promise<{ data: Row } | undefined>;
  delete(key: readonly unknown[], options?: Options): Promise<void>;
  restore(key: readonly unknown[], options?: Options): Promise<{ data: Row } | undefined>;
  history(key: readonly unknown[], query: { page: number; limit: number }): Promise<HistoryPage>;
  restoreState(key: readonly unknown[], change: string, options?: Options): Promise<RestoredState | undefined>;
  createMany(rows: readonly Row[], options?: Options): Promise<{ meta: { count: number } }>;
  export(question: Question & { format: "csv" }, options?: Options): Promise<ReadableStream<Uint8Array>>;
  import(file: Blob, options?: Options & { dryRun?: boolean }): Promise<{ meta: { count: number } }>;
  updateMany(
    changes: readonly Row[] | { where: Where; data: Row },
    options?: Options,
  ): Promise<{ meta: { count: number } }>;
  deleteMany(
    rows: { keys: readonly (readonly unknown[])[] } | { where: Where },
    options?: Options,
  ): Promise<{ meta: { count: number } }>;
}

interface AnyCall {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: object;
  readonly body?: unknown;
}

interface AnyClient {
  readonly auth: {
    signIn(credentials: Readonly<Record<string, string>>): Promise<{ data: Row }>;
    refresh(): Promise<unknown>;
    signOut(): Promise<void>;
    me(): Promise<{ data: Row }>;
  };
  route(route: string, call?: AnyCall): Promise<unknown>;
}

/** The source code of the current call; read by the `fetch` that it starts in the same tick. */
let currentCall: { readonly code: string; readonly form?: readonly string[] | undefined } | undefined;
/** A token that the visitor entered, stored only in memory. */
let givenToken: string | undefined;
/** The client's last authorization header, if tokens are not in cookies. */
let authorization: string | null = null;
/** The versions of full rows, by URL, from their last responses. */
const tags = new Map<string, string>();

export const giveToken = (token: string | undefined): void => {
  givenToken = token;
};

async function noted(request: Request): Promise<Response> {
  const { code, form } = currentCall ?? {};
  currentCall = undefined;
  if (givenToken !== undefined) request.headers.set("authorization", `Bearer ${givenToken}`);
  authorization = request.headers.get("authorization");
  const headers = Object.fromEntries(request.headers);
  // A form is described by its parts: its files may be too large for memory.
  const isOmitted = request.body === null || form !== undefined;
  const body = isOmitted ? undefined : withoutSecrets(await request.clone().text());
  const end = noteRequest({ method: request.method, url: request.url, headers, body, form, code });
  try {
    const response = await fetch(request);
    end(response.status);
    const tag = response.headers.get("etag");
    if (tag !== null && response.ok) tags.set(request.url, tag);
    return response;
  } catch (error) {
    end(0);
    throw error;
  }
}

const client = makeClient<Record<never, never>>({ baseUrl, fetch: noted }) as unknown as AnyClient;
const resourceOf = (property: string): AnyResource =>
  (client as unknown as Record<string, AnyResource>)[property] as AnyResource;

let onSignedOut: () => void = () => {};
/** Called when a request reports that the session has expired. */
export const whenSignedOut = (listener: () => void): void => {
  onSignedOut = listener;
};

/** Sends a request, and retries it with a new token if the old one has expired. */
async function send<Result>(code: string, call: () => Promise<Result>, body?: Row | FormData | Blob): Promise<Result> {
  const run = (): Promise<Result> => {
    currentCall = { code, form: body instanceof FormData ? toParts(body) : undefined };
    return call();
  };
  try {
    return await run();
  } catch (error) {
    if (!isApiError(error) || error.status !== 401) throw error;
    if (!(await refresh())) {
      onSignedOut();
      throw error;
    }
    return run();
  }
}

const remembered = "servicekit.studio.signed-in";
let refreshing: Promise<boolean> | undefined;
/** Refreshes the session of the cookie; `false` without one. Concurrent failing requests share one refresh. */
export function refresh(): Promise<boolean> {
  if (localStorage.getItem(remembered) === null || givenToken !== undefined) return Promise.resolve(false);
  refreshing ??= client.auth
    .refresh()
    .then(
      () => true,
      () => {
        localStorage.removeItem(remembered);
        return false;
      },
    )
    .finally(() => {
      refreshing = undefined;
    });
  return refreshing;
}

export const session = {
  async signIn(credentials: Readonly<Record<string, string>>): Promise<Row> {
    currentCall = { code: `await shop.auth.signIn(${toLiteral(credentials)});` };
    const { data } = await client.auth.signIn(credentials);
    localStorage.setItem(remembered, "yes");
    return data;
  },
  async signOut(): Promise<void> {
    localStorage.removeItem(remembered);
    if (givenToken !== undefined) {
      // It may be valid elsewhere; it is only deleted here.
      givenToken = undefined;
      return;
    }
    currentCall = { code: "await shop.auth.signOut();" };
    await client.auth.signOut();
  },
  /** The row of the caller; an empty one for callers of external issuers, which have no account here. */
  async me(): Promise<Row> {
    if (hasLogin) {
      try {
        return (await send("await shop.auth.me();", () => client.auth.me())).data;
      } catch (error) {
        if (!needsAuthentication(error)) throw error;
      }
    }
    await callRoute("GET /api/available-routes");
    return {};
  },
  /** Whether this page can end the session; a session of another service ends there. */
  canSignOut: (): boolean => hasLogin || givenToken !== undefined,
};

/** The error of account routes for a caller without an account session. */
export const needsAuthentication = (error: unknown): boolean =>
  isApiError(error) && error.code === "AuthenticationRequired";

/** Calls a route that does not belong to a model. */
export const callRoute = (route: string, call: AnyCall = {}): Promise<unknown> =>
  send(
    `await shop.route(${JSON.stringify(route)}${Object.keys(call).length === 0 ? "" : `, ${toLiteral(call)}`});`,
    () => client.route(route, call),
  );

/** The response to a manually written request. */
export interface RawResponse {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
}

/** Sends a request unchanged. */
export async function sendRaw(method: string, path: string, body: string): Promise<RawResponse> {
  const hasBody = body !== "" && method !== "GET" && method !== "HEAD";
  const response = await noted(
    new Request(baseUrl + path, {
      method,
      headers: {
        accept: "*/*",
        ...(hasBody ? { "content-type": "application/json" } : {}),
        ...(authorization === null ? {} : { authorization }),
      },
      ...(hasBody ? { body } : {}),
    }),
  );
  return { status: response.status, headers: [...response.headers], text: await response.text() };
}

/** Whether a header authenticates requests; the browser's own requests, such as for an image, lack it. */
export const isSignedInByHeader = (): boolean => authorization !== null;

/** Reads a stored file. */
export async function readFile(path: string): Promise<Blob> {
  const response = await noted(
    new Request(baseUrl + path, { headers: authorization === null ? {} : { authorization } }),
  );
  if (!response.ok) throw new Error(`The file cannot be read (${response.status}).`);
  return response.blob();
}

/** A route in `GET /api/available-routes` (contract C46). */
export interface AvailableRoute {
  readonly method: string;
  readonly path: string;
  readonly resource: string | null;
  readonly operation: string | null;
  readonly authentication: boolean | { readonly resource: string; readonly action: string } | null;
  readonly description: string | null;
  readonly idempotency?: true;
  readonly allowed?: boolean;
}

/** The routes that support idempotency keys; `undefined` until they are known. */
let keyed: ReadonlySet<string> | undefined;

export async function readRoutes(): Promise<readonly AvailableRoute[]> {
  const { data } = (await callRoute("GET /api/available-routes")) as { data: readonly AvailableRoute[] };
  keyed = new Set(data.flatMap(({ method, path, idempotency }) => (idempotency ? [`${method} ${path}`] : [])));
  return data;
}

/** The keys of writes whose outcome is unknown. */
const pending = new Map<string, string>();

/** A key for `Idempotency-Key`; `crypto.randomUUID` does not exist without TLS. */
const makeKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");

/**
 * Writes in such a way that a retry after a missing response is executed once (contract C49), if the route supports
 * that.
 */
async function once<Result>(
  route: string,
  content: unknown,
  write: (options: Pick<Options, "idempotencyKey">) => Promise<Result>,
): Promise<Result> {
  if (keyed === undefined) await readRoutes().catch(() => undefined);
  // Forms do not support keys.
  if (keyed?.has(route) !== true || content instanceof FormData) return write({});
  const text = JSON.stringify([route, content]);
  const idempotencyKey = pending.get(text) ?? makeKey();
  pending.set(text, idempotencyKey);
  const reply = await write({ idempotencyKey });
  pending.delete(text);
  return reply;
}

interface Named {
  readonly property: string;
  readonly path: string;
}

const code = (model: Named, operation: string, ...args: unknown[]): string =>
  `await shop.${model.property}.${operation}(${args
    .filter((arg) => arg !== undefined)
    .map(toLiteral)
    .join(", ")});`;
const oneOf = (key: readonly unknown[]): unknown => (key.length === 1 ? key[0] : key);

/** The operations of models. */
export const rows = {
  list: (model: Named, question: Question, signal?: AbortSignal): Promise<Page> =>
    send(code(model, "list", question), () => resourceOf(model.property).list(question, signal ? { signal } : {})),
  aggregate: (model: Named, question: SummaryQuestion, signal: AbortSignal): Promise<SummaryGroups> =>
    send(code(model, "aggregate", question), () => resourceOf(model.property).aggregate(question, { signal })),
  read: async (model: Named, key: readonly unknown[], shape?: Pick<Question, "include" | "deleted">): Promise<Row> =>
    (await send(code(model, "read", oneOf(key), shape), () => resourceOf(model.property).read(key, shape))).data,
  create: (model: Named, body: Row | FormData) =>
    once(`POST ${model.path}`, body, (options) =>
      send(code(model, "create", body), () => resourceOf(model.property).create(body, options), body),
    ),
  update: (model: Named, key: readonly unknown[], changes: Row | FormData, ifMatch: string | false) =>
    once(`PATCH ${model.path}/:id`, changes instanceof FormData ? changes : [key, changes, ifMatch], (options) =>
      send(
        code(model, "update", oneOf(key), changes),
        () => resourceOf(model.property).update(key, changes, { ifMatch, ...options }),
        changes,
      ),
    ),
  delete: (model: Named, key: readonly unknown[], ifMatch: string | false) =>
    once(`DELETE ${model.path}/:id`, [key, ifMatch], (options) =>
      send(code(model, "delete", oneOf(key)), () => resourceOf(model.property).delete(key, { ifMatch, ...options })),
    ),
  deletePermanently: (model: Named, key: readonly unknown[], ifMatch: string | false) =>
    once(`DELETE ${model.path}/:id`, [key, ifMatch, "permanent"], (options) =>
      send(code(model, "delete", oneOf(key), { permanent: true }), () =>
        resourceOf(model.property).delete(key, { permanent: true, ifMatch, ...options }),
      ),
    ),
  restore: (model: Named, key: readonly unknown[], ifMatch: string | false) =>
    once(`POST ${model.path}/:id/restore`, [key, ifMatch], (options) =>
      send(code(model, "restore", oneOf(key)), () => resourceOf(model.property).restore(key, { ifMatch, ...options })),
    ),
  history: (model: Named, key: readonly unknown[], query: { page: number; limit: number }) =>
    send(code(model, "history", oneOf(key), query), () => resourceOf(model.property).history(key, query)),
  restoreState: (model: Named, key: readonly unknown[], change: string, ifMatch: string | false) =>
    once(`POST ${model.path}/:id/history/:changeId/restore`, [key, change, ifMatch], (options) =>
      send(code(model, "restoreState", oneOf(key), change), () =>
        resourceOf(model.property).restoreState(key, change, { ifMatch, ...options }),
      ),
    ),
  createMany: (model: Named, bodies: readonly Row[]) =>
    once(`POST ${model.path}/many`, bodies, (options) =>
      send(code(model, "createMany", bodies), () => resourceOf(model.property).createMany(bodies, options)),
    ),
  export: (model: Named, question: Question, signal: AbortSignal) =>
    send(code(model, "export", { format: "csv", ...question }), () =>
      resourceOf(model.property).export({ format: "csv", ...question }, { signal }),
    ),
  /** Checks the rows of a file, or creates them. */
  import: (model: Named, file: Blob, dryRun: boolean) =>
    send(
      `await shop.${model.property}.import(file${dryRun ? ", { dryRun: true }" : ""});`,
      () => resourceOf(model.property).import(file, { dryRun }),
      file,
    ),
  updateMany: (model: Named, changes: readonly Row[] | { where: Where; data: Row }) =>
    once(`PATCH ${model.path}/many`, changes, (options) =>
      send(code(model, "updateMany", changes), () => resourceOf(model.property).updateMany(changes, options)),
    ),
  deleteMany: (model: Named, which: { keys: readonly (readonly unknown[])[] } | { where: Where }) =>
    once(`DELETE ${model.path}/many`, which, (options) =>
      send(code(model, "deleteMany", "keys" in which ? { keys: which.keys.map(oneOf) } : which), () =>
        resourceOf(model.property).deleteMany(which, options),
      ),
    ),
};

/** The version in which a row was last read in full, sent with its update. */
export function stateOf(path: string): string | false {
  const tag = tags.get(baseUrl + path);
  return tag === undefined || tag.startsWith("W/") ? false : tag;
}
