import { expect, it } from "vitest";
import * as router from "../src/index.js";

it("exports these names and no others", () => {
  expect(Object.keys(router).sort()).toMatchInlineSnapshot(`
    [
      "ServiceRouter",
      "bindRoutes",
      "callerOf",
      "callerPlace",
      "checkDtoClass",
      "checkRouteConfig",
      "checkRoutes",
      "composeHandlers",
      "declareRoute",
      "declaredKeys",
      "declaredValue",
      "hookHandlers",
      "isAnswerEnded",
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
      "makeValidator",
      "matchOf",
      "roundedNumbers",
      "routeName",
      "schemaKeys",
      "sendJson",
      "sendText",
      "setCaller",
      "setQuery",
      "toAccessRule",
      "toHttpError",
      "toJsonText",
    ]
  `);
});
