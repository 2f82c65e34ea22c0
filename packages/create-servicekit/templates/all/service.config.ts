// Settings. Every key: https://github.com/servicekit/servicekit/blob/main/docs/reference/configuration.md
import { defineConfig } from "@servicekit/service";

export default defineConfig({
  validation: { resolver: "{{validation}}" },
//: if accounts
  // Every route that is not opened is for superusers only. JWT_SECRET in .env is the secret of the tokens.
  authentication: { mode: "{{authentication}}", login: { allowedUsernames: ["email"] } },
//: end
  apidocs: {
    mode: "orm",
    options: { definition: { info: { title: "{{title}}", version: "0.1.0" } } },
  },
});
