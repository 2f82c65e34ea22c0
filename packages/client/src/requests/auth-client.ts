import type { Send } from "./send.js";

/** Who is signed in: the row of the user model. */
export type UserOf<Api> = Api extends { users: { row: infer Row } } ? Row : unknown;

/** The answer to signing in (contract C26). */
export interface SignedIn<User> {
  readonly data: User;
  /** Not where tokens travel in cookies alone. */
  readonly accessToken?: string;
  readonly expiresAt: string;
}

/**
 * Signing in and out. A token that the answer holds is sent with every later request, and kept in memory alone; where
 * sessions are kept, one that has ended is refreshed, once, before a request is refused.
 */
export interface AuthClient<User> {
  /** Signs in by a login name and the password: `{ username: "ada", password: "…" }`. */
  signIn(credentials: Readonly<Record<string, string>>): Promise<SignedIn<User>>;
  /** Makes an account. */
  signUp(user: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Asks for a fresh token, by the refresh token of the last answer or the cookie: for a page that was loaded again. */
  refresh(): Promise<SignedIn<User>>;
  /** Revokes the tokens on the server and forgets them. */
  signOut(): Promise<void>;
  /** The user that is signed in. */
  me(): Promise<{ readonly data: User }>;
}

interface Tokens {
  readonly accessToken?: string;
  readonly refreshToken?: string;
}

/** What a client keeps of who is signed in. */
export interface Caller {
  /** The value of `Authorization`. */
  authorization(): string | undefined;
  /** Refreshes a token that has ended; `false` where nobody is signed in, or no longer. */
  renew(): Promise<boolean>;
  /** What signs in and out. */
  readonly acts: Omit<AuthClient<unknown>, "me">;
}

/**
 * Keeps the tokens of a caller.
 *
 * @param send sends without renewing
 */
export function makeCaller(send: Send): Caller {
  let tokens: Tokens | undefined;
  let renewing: Promise<boolean> | undefined;
  const post = async (path: string, body?: unknown) => (await send({ method: "POST", path, body })).json;
  const take = (answer: unknown) => {
    tokens = answer as Tokens;
    return answer as SignedIn<unknown>;
  };
  const refresh = async () => {
    const { refreshToken } = tokens ?? {};
    return take(await post("/api/auth/refresh", refreshToken && { refreshToken }));
  };
  const renew = async (): Promise<boolean> => {
    if (tokens === undefined) return false;
    try {
      await refresh();
      return true;
    } catch {
      return false;
    }
  };
  return {
    authorization: () => tokens?.accessToken && `Bearer ${tokens.accessToken}`,
    // Requests that fail together wait for one refresh: each refresh token is good once.
    renew: () => {
      renewing ??= renew().finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
    acts: {
      signIn: async (credentials) => take(await post("/api/auth/login", credentials)),
      signUp: (user) => post("/api/auth/signup", user),
      refresh,
      signOut: async () => {
        await send({ method: "DELETE", path: "/api/auth/logout" });
        tokens = undefined;
      },
    },
  };
}
