import { clearCookies } from "../tokens/token-carrier.js";
import { accountOf, type Endpoint, type EndpointContext } from "./endpoint.js";

/** `DELETE /auth/logout`: deletes the cookie and ends the session, or revokes the token (contract C28). */
export function logoutEndpoint(context: EndpointContext): Endpoint {
  return {
    method: "delete",
    path: "/auth/logout",
    act: "Logout",
    authentication: true,
    body: false,
    status: 204,
    async run(request, response) {
      const { record, claims } = accountOf(request, context);
      const { sessions, revoked, settings } = context;
      if (sessions === undefined) await revoked.add(claims.jti, claims.exp);
      else if (claims.sid !== undefined) await sessions.end(claims.sid, record.id);
      clearCookies(response, settings.jwt, sessions !== undefined);
    },
    documentation: {
      summary: "Log out",
      description: "Revokes the access token of the request and deletes the cookie.",
    },
  };
}
