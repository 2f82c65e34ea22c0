import { expect, it } from "vitest";
import * as mailer from "../src/index.js";

it("exports these names", () => {
  expect(Object.keys(mailer).sort()).toEqual(["MailError", "makeMailer"]);
});
