// Settings. Every key: https://github.com/servicekit/servicekit/blob/main/docs/configuration.md
import { defineConfig } from "@servicekit/service";

export default defineConfig({
  validation: { resolver: "zod" },
  // Closes every route that nothing opens. The secret of tokens is JWT_SECRET, in .env.
  authentication: { mode: "static", login: { allowedUsernames: ["email"] } },
  apidocs: { mode: "orm", options: { definition: { info: { title: "My blog", version: "0.1.0" } } } },
});
