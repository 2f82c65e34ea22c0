import type { DocumentObject } from "@servicekit/router";

/** What a caller can show of who it is: an access token in `Authorization`, the cookie of one, an API key. */
export type Credential = "bearer" | "cookie" | "apiKey";

/** The name of the cookie that carries the access token (contract C23). */
const tokenCookie = "access_token";

/** What `components.securitySchemes` says of credentials; a key may also come as a bearer token. */
export function securitySchemes(credentials: readonly Credential[]): DocumentObject {
  const takesKeys = credentials.includes("apiKey");
  const schemes: Readonly<Record<Credential, DocumentObject>> = {
    bearer: {
      type: "http",
      scheme: "bearer",
      ...(takesKeys ? { description: "An access token (a JWT), or an API key." } : { bearerFormat: "JWT" }),
    },
    cookie: { type: "apiKey", in: "cookie", name: tokenCookie },
    apiKey: {
      type: "apiKey",
      in: "header",
      name: "X-API-Key",
      description: "An API key, `svk_…`; routes of accounts take none.",
    },
  };
  return Object.fromEntries(credentials.map((name) => [name, schemes[name]]));
}
