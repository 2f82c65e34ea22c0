import path from "node:path";
import type { ServiceInitConfig } from "@servicekit/service";
import { build } from "rolldown";

/** Serves a page of this folder with its imports, as a bundler writes them, at `/page`. */
export async function servePage(name: string): Promise<NonNullable<ServiceInitConfig["configureApp"]>> {
  const { output } = await build({
    input: path.join(import.meta.dirname, `${name}.ts`),
    platform: "browser",
    resolve: { conditionNames: ["servicekit-source", "import", "browser"] },
    // It warns about each "use client" of React libraries.
    logLevel: "silent",
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
    write: false,
  });
  return (app) => {
    app.get("/page", (_request, response) => {
      response
        .type("html")
        .send(
          "<!doctype html><link rel=icon href=data:,><div id=page></div><script type=module src=/page.js></script>",
        );
    });
    app.get("/page.js", (_request, response) => {
      response.type("js").send(output[0].code);
    });
  };
}
