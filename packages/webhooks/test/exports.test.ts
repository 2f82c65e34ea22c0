import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as settings from "../src/settings.js";

it("exports exactly these values from @servicekit/webhooks", () => {
  expect(Object.keys(main).sort()).toEqual([
    ...[
      "eventName",
      "eventNames",
      "isSecret",
      "makeDeliverer",
      "makeEndpoints",
      "makeMessageSource",
      "makeSecret",
      "makeSecretCipher",
      "makeSender",
      "maxPerEndpoint",
      "messageOf",
    ],
    ...[
      "readAllowList",
      "readRequests",
      "readWebhookModels",
      "rotatedSecrets",
      "signedHeaders",
      "toEndpoint",
      "webhookIssues",
    ],
  ]);
});

it("exports exactly these values from @servicekit/webhooks/settings", () => {
  expect(Object.keys(settings).sort()).toEqual([
    "deliveryModelName",
    "readWebhooksSettings",
    "webhookCreatorField",
    "webhookModelName",
    "webhookVariables",
    "webhooksSchema",
  ]);
});
