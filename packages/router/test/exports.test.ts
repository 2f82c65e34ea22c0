import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as internal from "../src/internal.js";
import * as settings from "../src/settings.js";

it("exports exactly these values from @servicekit/router", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "ServiceRouter",
      "callerOf",
      "identityOf",
      "makeApp",
      "makeBodyParserStep",
      "makeCompressionStep",
      "makeErrorHandler",
      "makeQueryParserStep",
      "makeRateLimitStep",
      "makeRouteTable",
      "makeServer",
      "makeValidationStep",
      "mountRoutes",
      "sendJson",
      "userIdOf",
    ]
  `);
});

it("exports exactly these values from @servicekit/router/internal", () => {
  expect(Object.keys(internal).sort()).toMatchInlineSnapshot(`
    [
      "addressOf",
      "bindRoutes",
      "checkDtoClass",
      "checkedAtOnce",
      "clientAddress",
      "clientNetwork",
      "closeMethods",
      "composeHandlers",
      "declarationFaults",
      "declareRoute",
      "declaredValue",
      "findEntityTag",
      "handOnLongNumbers",
      "heldStore",
      "hookHandlers",
      "isAnswerEnded",
      "isDtoClass",
      "isZodSchema",
      "jsonFormatOf",
      "makeIsForeign",
      "makeNotFound",
      "makeRateLimiter",
      "makeValidator",
      "markRole",
      "matchOf",
      "noteEnd",
      "plainEntityTag",
      "readEntityTags",
      "requiredAuthentication",
      "roundedNumbers",
      "routeName",
      "scanJson",
      "schemaKeys",
      "sendJsonBytes",
      "sendRefusal",
      "sendText",
      "setCaller",
      "setQuery",
      "toAccessRule",
      "toAuthentication",
      "toJsonText",
      "unmountedRoutes",
      "watchHost",
      "weakTagsMessage",
    ]
  `);
});

it("exports exactly these values from @servicekit/router/settings", () => {
  expect(Object.keys(settings).sort()).toMatchInlineSnapshot(`
    [
      "accessRuleSchema",
      "authenticationSchema",
      "bodyParserSchema",
      "byName",
      "compressionSchema",
      "count",
      "handler",
      "hook",
      "imageSchema",
      "jsonParserSchema",
      "milliseconds",
      "operationRightsSchema",
      "queryParserSchema",
      "rateLimitSchema",
      "readRateLimit",
      "routeRateLimitSchema",
      "router",
      "rowRightsSchema",
      "schemaValue",
      "size",
      "text",
      "toBytes",
      "uploadsSchema",
      "validationOptionsSchemas",
    ]
  `);
});
