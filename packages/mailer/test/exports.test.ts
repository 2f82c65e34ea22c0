import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as settings from "../src/settings.js";

it("exports exactly these values from @servicekit/mailer", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "MailError",
      "makeMailer",
    ]
  `);
});

it("exports exactly these values from @servicekit/mailer/settings", () => {
  expect(Object.keys(settings).sort()).toMatchInlineSnapshot(`
    [
      "mailerSchema",
      "mailerVariables",
    ]
  `);
});
