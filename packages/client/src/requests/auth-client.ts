import type { Send } from "./send.js";

/** The signed-in user: the row of the user model, without computed fields. */
export type UserOf<Api> = Api extends { users: { storedRow: infer Row } }
  ? Row
  : Api extends { users: { row: infer Row } }
    ? Row
    : unknown;

/** The response to a sign-in (contract C26). */
export interface SignedIn<User> {
  readonly data: User;
  /** Absent if tokens travel only in cookies. */
  readonly accessToken?: string;
  readonly expiresAt: string;
}

/**
 * Sign-in and sign-out. The access token of a response is sent with every later request and stored only in memory. If
 * the service stores sessions, an expired token is refreshed once before a request is rejected.
 */
export interface AuthClient<User> {
  /** Signs in with a login name and the password: `{ username: "ada", password: "…" }`. */
  signIn(credentials: Readonly<Record<string, string>>): Promise<SignedIn<User>>;
  /** Creates an account. */
  signUp(user: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Requests a new access token with the last refresh token or the cookie, for example after a page reload. */
  refresh(): Promise<SignedIn<User>>;
  /** Revokes the tokens on the server and forgets them. */
  signOut(): Promise<void>;
  /** Returns the signed-in user. */
  me(): Promise<{ readonly data: User }>;
}

interface Tokens {
  readonly accessToken?: string;
  readonly refreshToken?: string;
}

/** The credentials of a client. */
export interface Caller {
  /** The value of `Authorization`. */
  authorization(): string | undefined;
  /** Refreshes an expired token; `false` if no user is signed in. */
  renew(): Promise<boolean>;
  /** The sign-in and sign-out functions. */
  readonly acts: Omit<AuthClient<unknown>, "me">;
}

/**
 * Stores the tokens of a caller.
 *
 * @param send sends a request without refreshing
 */
export function makeCaller(send: Send): Caller {
  let tokens: Tokens | undefined;
  let renewing: Promise<boolean> | undefined;
  const post = async (path: string, body?: unknown) => (await send({ method: "POST", path, body })).json;
  const take = (response: unknown) => {
    tokens = response as Tokens;
    return response as SignedIn<unknown>;
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
    // Concurrent failing requests wait for one refresh, because each refresh token can be used once.
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
