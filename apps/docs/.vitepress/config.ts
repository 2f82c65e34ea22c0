import { createRequire } from "node:module";
import path from "node:path";
import { defineConfig } from "vitepress";
import { apps, decisions, packages, placeOf, root, toAnchor, toSiteLink } from "./pages.js";

// The pages stand outside of this package, where no Vue is found: they take that of VitePress.
const { resolve } = createRequire(createRequire(import.meta.url).resolve("vitepress/package.json"));
const vue = path.dirname(resolve("vue/package.json"));

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%233451b2'/%3E%3Cpath d='M4 5h8M4 8h8M4 11h5' stroke='white' stroke-width='1.6' stroke-linecap='round'/%3E%3C/svg%3E";

const page = (text: string, link: string) => ({ text, link });

export default defineConfig({
  title: "servicekit",
  description: "A complete JSON REST API from a Prisma schema, on Express.",
  lang: "en",
  head: [["link", { rel: "icon", type: "image/svg+xml", href: icon }]],
  srcDir: root,
  // All that is left is in `placeOf`.
  srcExclude: [
    ".*/**",
    "README.md",
    "{packages,apps}/*/*/**",
    "packages/*/!(README).md",
    ...apps.map((name) => `apps/${name}/README.md`),
  ],
  rewrites: placeOf,
  outDir: path.join(import.meta.dirname, "..", "dist"),
  cacheDir: path.join(import.meta.dirname, "..", ".cache"),
  // Under GitHub Pages a site has its repository's name as its path.
  base: process.env.SITE_BASE ?? "/",
  vite: {
    resolve: {
      alias: [
        { find: /^vue$/, replacement: path.join(vue, "dist", "vue.runtime.esm-bundler.js") },
        { find: /^vue\/server-renderer$/, replacement: path.join(vue, "server-renderer", "index.mjs") },
      ],
    },
  },
  markdown: {
    anchor: { slugify: toAnchor },
    // Braces behind code are text, as on GitHub.
    attrs: { disable: true },
    config: (markdown) => {
      markdown.core.ruler.push("site-links", ({ tokens, env }) => {
        const from = path.relative(root, env.realPath ?? env.path);
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const link = token.type === "link_open" ? token.attrGet("href") : null;
          if (link !== null) token.attrSet("href", toSiteLink(from, link));
        }
      });
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: "https://github.com/servicekit/servicekit" }],
    nav: [
      page("Quick start", "/quick-start"),
      page("Concepts", "/concepts"),
      page("Recipes", "/recipes"),
      page("Query language", "/query-language"),
      page("Configuration", "/configuration"),
    ],
    sidebar: [
      {
        text: "Start",
        items: [
          page("Quick start", "/quick-start"),
          page("Build a blog", "/blog"),
          page("Concepts", "/concepts"),
          page("From Express", "/from-express"),
          page("From NestJS", "/from-nestjs"),
          page("From Arkos", "/from-arkos"),
        ],
      },
      {
        text: "Build",
        items: [
          page("Recipes", "/recipes"),
          page("Sessions, keys and repeated requests", "/sessions-and-keys"),
          page("External sign-in", "/other-sign-ins"),
          page("Query language", "/query-language"),
          page("Models and their routes", "/models"),
          page("Model configuration", "/model-configuration"),
          page("Declared routes", "/packages/router"),
          page("Accounts and permissions", "/accounts"),
          page("Files", "/packages/uploads"),
          page("The client", "/client"),
          page("AI agents", "/mcp"),
          page("The studio", "/studio"),
          page("OpenAPI", "/packages/openapi"),
          page("Email", "/packages/mailer"),
          page("The command service", "/packages/cli"),
          page("The example", "/example"),
        ],
      },
      {
        text: "Reference",
        items: [
          page("Configuration", "/configuration"),
          page("Errors", "/errors"),
          page("Contract", "/contract"),
          page("Glossary", "/glossary"),
        ],
      },
      {
        text: "Production",
        items: [
          page("Deployment", "/deployment"),
          page("Operation", "/operation"),
          page("Security", "/security"),
          page("Report a vulnerability", "/reporting"),
          page("Upgrade policy", "/upgrade-policy"),
          page("Benchmarks", "/benchmarks"),
        ],
      },
      {
        text: "Packages",
        collapsed: true,
        items: packages.map((name) => page(name, `/packages/${name}`)),
      },
      {
        text: "Project",
        collapsed: true,
        items: [
          page("Architecture", "/architecture"),
          page("Contributing", "/contributing"),
          page("Code of conduct", "/conduct"),
          ...decisions.map((name) =>
            page(name.replace(/^0*(\d+)-/, "$1. ").replaceAll("-", " "), `/decisions/${name}`),
          ),
        ],
      },
    ],
  },
});
