// Settings. Every key: https://github.com/servicekit/servicekit/blob/main/docs/reference/configuration.md
import { defineConfig } from "@servicekit/service";

export default defineConfig({
  validation: { resolver: "{{validation}}" },
//: if accounts
  // Closes every route that nothing opens. The secret of tokens is JWT_SECRET, in .env.
  authentication: { mode: "{{authentication}}", login: { allowedUsernames: ["email"] } },
//: end
  apidocs: { mode: "orm", options: { definition: { info: { title: "{{title}}", version: "0.1.0" } } } },
});
