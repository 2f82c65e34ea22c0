import type { DocumentObject } from "@servicekit/router";

/** The possible credentials: an access token in `Authorization`, its cookie, an API key. */
export type Credential = "bearer" | "cookie" | "apiKey";

/** The name of the cookie with the access token (contract C23). */
const tokenCookie = "access_token";

/** The security schemes of `components.securitySchemes`; a key may also be sent as a bearer token. */
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
      description: "An API key, `svk_…`. Account routes do not accept it.",
    },
  };
  return Object.fromEntries(credentials.map((name) => [name, schemes[name]]));
}
