import { expect, it } from "vitest";
import * as router from "../src/index.js";

it("exports these names and no others", () => {
  expect(Object.keys(router).sort()).toMatchInlineSnapshot(`
    [
      "ServiceRouter",
      "bindRoutes",
      "callerPlace",
      "checkRouteConfig",
      "checkRoutes",
      "composeHandlers",
      "declareRoute",
      "declaredKeys",
      "declaredValue",
      "isDtoClass",
      "isZodSchema",
      "makeApp",
      "makeBodyParserStep",
      "makeCompressionStep",
      "makeErrorHandler",
      "makeNotFound",
      "makeQueryParserStep",
      "makeRateLimitStep",
      "makeRateLimiter",
      "makeRouteTable",
      "makeServer",
      "makeValidationStep",
      "matchOf",
      "routeName",
      "sendJson",
      "sendText",
      "setQuery",
      "toAccessRule",
      "toHttpError",
      "toJsonText",
    ]
  `);
});
