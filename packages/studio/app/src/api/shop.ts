import { isApiError, makeClient } from "@servicekit/client";
import { baseUrl, hasLogin } from "./facts.js";
import { noteRequest, toLiteral, toParts, withoutSecrets } from "./sent-requests.js";

/** A row, of which the page knows only what the service tells. */
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
  readonly count?: boolean;
}

export interface Page {
  readonly data: readonly Row[];
  readonly meta: { readonly count: number; readonly total?: number; readonly nextCursor?: string | null };
}

interface Options {
  readonly signal?: AbortSignal;
  readonly ifMatch?: string | false;
  readonly idempotencyKey?: string;
}

/** The operations of one model, whose types nobody knows here. */
interface AnyResource {
  list(question?: Question, options?: Options): Promise<Page>;
  read(key: readonly unknown[], shape?: Question): Promise<{ data: Row }>;
  create(body: Row | FormData, options?: Options): Promise<{ data: Row } | undefined>;
  update(key: readonly unknown[], changes: Row | FormData, options?: Options): Promise<{ data: Row } | undefined>;
  delete(key: readonly unknown[], options?: Options): Promise<void>;
  createMany(rows: readonly Row[], options?: Options): Promise<{ meta: { count: number } }>;
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

/** What the call at hand is in a program; read by the `fetch` that it leads to, in the same turn. */
let saying: { readonly code: string; readonly form?: readonly string[] | undefined } | undefined;
/** A token that the visitor has given, kept in memory alone. */
let givenToken: string | undefined;
/** How the client said last who asks, where tokens do not travel in cookies. */
let authorization: string | null = null;
/** The states of rows in full, by their addresses: of the last answer. */
const tags = new Map<string, string>();

export const giveToken = (token: string | undefined): void => {
  givenToken = token;
};

async function noted(request: Request): Promise<Response> {
  const { code, form } = saying ?? {};
  saying = undefined;
  if (givenToken !== undefined) request.headers.set("authorization", `Bearer ${givenToken}`);
  authorization = request.headers.get("authorization");
  const headers = Object.fromEntries(request.headers);
  // A form is told by its parts: its files may be larger than what fits in memory.
  const isTold = request.body === null || form !== undefined;
  const body = isTold ? undefined : withoutSecrets(await request.clone().text());
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
/** Called when a request says that nobody is signed in any more. */
export const whenSignedOut = (listener: () => void): void => {
  onSignedOut = listener;
};

/** Asks, and once more with a fresh token where the old one has ended. */
async function ask<Answer>(code: string, call: () => Promise<Answer>, body?: Row | FormData): Promise<Answer> {
  const say = (): Promise<Answer> => {
    saying = { code, form: body instanceof FormData ? toParts(body) : undefined };
    return call();
  };
  try {
    return await say();
  } catch (error) {
    if (!isApiError(error) || error.status !== 401) throw error;
    if (!(await refresh())) {
      onSignedOut();
      throw error;
    }
    return say();
  }
}

const remembered = "servicekit.studio.signed-in";
let refreshing: Promise<boolean> | undefined;
/** Takes the session of the cookie up again; `false` where there is none. Requests that fail together wait for one. */
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
    saying = { code: `await shop.auth.signIn(${toLiteral(credentials)});` };
    const { data } = await client.auth.signIn(credentials);
    localStorage.setItem(remembered, "yes");
    return data;
  },
  async signOut(): Promise<void> {
    localStorage.removeItem(remembered);
    if (givenToken !== undefined) {
      // It may serve elsewhere: it is forgotten here, and no more.
      givenToken = undefined;
      return;
    }
    saying = { code: "await shop.auth.signOut();" };
    await client.auth.signOut();
  },
  /** The row of who asks; an empty one for whom others name, since no account here is his. */
  async me(): Promise<Row> {
    if (hasLogin) {
      try {
        return (await ask("await shop.auth.me();", () => client.auth.me())).data;
      } catch (error) {
        if (!isSignInNeeded(error)) throw error;
      }
    }
    await callRoute("GET /api/available-routes");
    return {};
  },
  /** Whether this page can end what it has begun: what a cookie of others says ends where it was made. */
  canSignOut: (): boolean => hasLogin || givenToken !== undefined,
};

/** What routes of accounts say to a caller who is in, and is no account that has signed in here. */
export const isSignInNeeded = (error: unknown): boolean => isApiError(error) && error.code === "SignInNeeded";

/** Calls a route that is no model's. */
export const callRoute = (route: string, call: AnyCall = {}): Promise<unknown> =>
  ask(
    `await shop.route(${JSON.stringify(route)}${Object.keys(call).length === 0 ? "" : `, ${toLiteral(call)}`});`,
    () => client.route(route, call),
  );

/** What came of a request that somebody has put together. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
}

/** Sends a request as it stands. */
export async function sendRaw(method: string, path: string, body: string): Promise<RawAnswer> {
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

/** Whether requests say in a header who asks; what the browser sends by itself, such as for an image, does not say it then. */
export const isSignedInByHeader = (): boolean => authorization !== null;

/** Reads a stored file. */
export async function readFile(path: string): Promise<Blob> {
  const response = await noted(
    new Request(baseUrl + path, { headers: authorization === null ? {} : { authorization } }),
  );
  if (!response.ok) throw new Error(`The file cannot be read (${response.status}).`);
  return response.blob();
}

/** A route as `GET /api/available-routes` tells it (contract C46). */
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

/** The routes that carry a repeated request out once, whoever asks; `undefined` until they are known. */
let keyed: ReadonlySet<string> | undefined;

export async function readRoutes(): Promise<readonly AvailableRoute[]> {
  const { data } = (await callRoute("GET /api/available-routes")) as { data: readonly AvailableRoute[] };
  keyed = new Set(data.flatMap(({ method, path, idempotency }) => (idempotency ? [`${method} ${path}`] : [])));
  return data;
}

/** The keys of writes of which it is not known whether they were carried out. */
const unanswered = new Map<string, string>();

/** A key for `Idempotency-Key`; `crypto.randomUUID` is not there without TLS. */
const makeKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");

/**
 * Writes so that the same write, sent again because it got no answer, is carried out once (contract C49), where the route
 * sees to that.
 */
async function once<Answer>(
  route: string,
  content: unknown,
  write: (options: Pick<Options, "idempotencyKey">) => Promise<Answer>,
): Promise<Answer> {
  if (keyed === undefined) await readRoutes().catch(() => undefined);
  // No form takes a key.
  if (keyed?.has(route) !== true || content instanceof FormData) return write({});
  const text = JSON.stringify([route, content]);
  const idempotencyKey = unanswered.get(text) ?? makeKey();
  unanswered.set(text, idempotencyKey);
  const answer = await write({ idempotencyKey });
  unanswered.delete(text);
  return answer;
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
    ask(code(model, "list", question), () => resourceOf(model.property).list(question, signal ? { signal } : {})),
  read: async (model: Named, key: readonly unknown[], include?: Question["include"]): Promise<Row> =>
    (
      await ask(code(model, "read", oneOf(key), include && { include }), () =>
        resourceOf(model.property).read(key, include === undefined ? undefined : { include }),
      )
    ).data,
  create: (model: Named, body: Row | FormData) =>
    once(`POST ${model.path}`, body, (options) =>
      ask(code(model, "create", body), () => resourceOf(model.property).create(body, options), body),
    ),
  update: (model: Named, key: readonly unknown[], changes: Row | FormData, ifMatch: string | false) =>
    once(`PATCH ${model.path}/:id`, changes instanceof FormData ? changes : [key, changes, ifMatch], (options) =>
      ask(
        code(model, "update", oneOf(key), changes),
        () => resourceOf(model.property).update(key, changes, { ifMatch, ...options }),
        changes,
      ),
    ),
  delete: (model: Named, key: readonly unknown[], ifMatch: string | false) =>
    once(`DELETE ${model.path}/:id`, [key, ifMatch], (options) =>
      ask(code(model, "delete", oneOf(key)), () => resourceOf(model.property).delete(key, { ifMatch, ...options })),
    ),
  createMany: (model: Named, bodies: readonly Row[]) =>
    once(`POST ${model.path}/many`, bodies, (options) =>
      ask(code(model, "createMany", bodies), () => resourceOf(model.property).createMany(bodies, options)),
    ),
  updateMany: (model: Named, changes: readonly Row[] | { where: Where; data: Row }) =>
    once(`PATCH ${model.path}/many`, changes, (options) =>
      ask(code(model, "updateMany", changes), () => resourceOf(model.property).updateMany(changes, options)),
    ),
  deleteMany: (model: Named, which: { keys: readonly (readonly unknown[])[] } | { where: Where }) =>
    once(`DELETE ${model.path}/many`, which, (options) =>
      ask(code(model, "deleteMany", "keys" in which ? { keys: which.keys.map(oneOf) } : which), () =>
        resourceOf(model.property).deleteMany(which, options),
      ),
    ),
};

/** The state in which a row was last seen in full, to be said with its change. */
export function stateOf(path: string): string | false {
  const tag = tags.get(baseUrl + path);
  return tag === undefined || tag.startsWith("W/") ? false : tag;
}
