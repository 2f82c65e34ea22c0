import { clearTokenCookie } from "../tokens/token-carrier.js";
import { accountOf, type Endpoint, type EndpointContext } from "./endpoint.js";

/** `DELETE /auth/logout`: takes the cookie back and revokes the token (contract C28). */
export function logoutEndpoint(context: EndpointContext): Endpoint {
  return {
    method: "delete",
    path: "/auth/logout",
    act: "Logout",
    authentication: true,
    body: false,
    status: 204,
    async run(request, response) {
      const { jti, exp } = accountOf(request, context).claims;
      await context.revoked.add(jti, exp);
      clearTokenCookie(response, context.settings.jwt);
    },
    documentation: {
      summary: "Log out",
      description: "The access token of the request is not accepted again, and the cookie is taken back.",
    },
  };
}
