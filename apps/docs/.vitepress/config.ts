import { createRequire } from "node:module";
import path from "node:path";
import { defineConfig } from "vitepress";
import { writeLlms } from "./llms.js";
import { apiPages, apps, decisions, packages, placeOf, root, toAnchor, toSearchText, toSiteLink } from "./pages.js";

// The pages are outside this package and cannot resolve Vue: use that of VitePress.
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
  // All other Markdown files are in `placeOf`.
  srcExclude: [
    ".*/**",
    "README.md",
    "packages/*/*/**",
    "apps/!(docs)/*/**",
    "packages/*/!(README).md",
    ...apps.map((name) => `apps/${name}/README.md`),
  ],
  rewrites: placeOf,
  outDir: path.join(import.meta.dirname, "..", "dist"),
  cacheDir: path.join(import.meta.dirname, "..", ".cache"),
  // GitHub Pages serves the site below the name of the repository.
  base: process.env.SITE_BASE ?? "/",
  vite: {
    resolve: {
      alias: [
        { find: /^vue$/, replacement: path.join(vue, "dist", "vue.runtime.esm-bundler.js") },
        { find: /^vue\/server-renderer$/, replacement: path.join(vue, "server-renderer", "index.mjs") },
      ],
    },
  },
  buildEnd: writeLlms,
  markdown: {
    anchor: { slugify: toAnchor },
    // Braces after code are text, as on GitHub.
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
    search: {
      provider: "local",
      options: {
        _render: (text, env, markdown) =>
          markdown.render(env.relativePath.startsWith("apps/docs/api/") ? toSearchText(text) : text, env),
      },
    },
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: "https://github.com/servicekit/servicekit" }],
    nav: [
      page("Quick start", "/start/quick-start"),
      page("Tutorial", "/start/tutorial"),
      page("Guides", "/guides/existing-project"),
      page("Query language", "/reference/query-language"),
      page("Configuration", "/reference/configuration"),
    ],
    sidebar: [
      {
        text: "Start",
        items: [
          page("What is servicekit", "/start/what-is-servicekit"),
          page("Quick start", "/start/quick-start"),
          page("Tutorial", "/start/tutorial"),
        ],
      },
      {
        text: "Guides",
        items: [
          page("Existing Prisma projects", "/guides/existing-project"),
          page("Express and Next applications", "/guides/express-application"),
          {
            text: "Models",
            items: [
              page("Models and relations", "/guides/models"),
              page("Schema changes and migrations", "/guides/schema-changes"),
              page("Filtering and pagination", "/guides/filtering-and-pagination"),
              page("Databases: PostgreSQL, SQLite", "/guides/databases"),
              page("Read replicas and failover", "/guides/replicas"),
              page("Search", "/guides/search"),
              page("Aggregates", "/guides/aggregates"),
              page("Computed fields", "/guides/computed-fields"),
              page("Change log", "/guides/changes"),
              page("React to changes", "/guides/react-to-changes"),
              page("Live updates", "/guides/live-updates"),
              page("Caching", "/guides/caching"),
              page("Large tables", "/guides/large-tables"),
              page("Export and import", "/guides/export-and-import"),
              page("Validation", "/guides/validation"),
              page("Hooks", "/guides/hooks"),
            ],
          },
          {
            text: "Accounts and access",
            items: [
              page("Accounts, roles and permissions", "/guides/accounts"),
              page("Sessions", "/guides/sessions"),
              page("API keys", "/guides/api-keys"),
              page("Identity providers, Google", "/guides/identity-providers"),
              page("Row rules: owners", "/guides/row-rules"),
              page("Tenants", "/guides/multi-tenancy"),
              page("Soft delete", "/guides/soft-delete"),
              page("Rate limits", "/guides/rate-limits"),
            ],
          },
          {
            text: "Routes",
            items: [
              page("Declared routes", "/guides/declared-routes"),
              page("Error handling", "/guides/error-handling"),
              page("File uploads and S3", "/guides/file-uploads"),
              page("Email", "/guides/email"),
              page("Webhooks", "/guides/webhooks"),
              page("Incoming webhooks", "/guides/incoming-webhooks"),
              page("Idempotency keys", "/guides/idempotency"),
              page("Background jobs", "/guides/background-jobs"),
              page("Testing", "/guides/testing"),
              page("TypeScript types", "/guides/typescript-types"),
            ],
          },
          {
            text: "Clients",
            items: [
              page("OpenAPI and clients", "/guides/openapi-and-clients"),
              page("TypeScript client, React", "/guides/client"),
              page("MCP server", "/guides/mcp"),
              page("Studio", "/guides/studio"),
            ],
          },
          {
            text: "Production",
            items: [
              page("Deployment", "/guides/deployment"),
              page("Operation and metrics", "/guides/operation"),
              page("Upgrading", "/guides/upgrading"),
            ],
          },
          {
            text: "Migrating",
            items: [
              page("From Express", "/guides/from-express"),
              page("From NestJS", "/guides/from-nestjs"),
              page("From Arkos", "/guides/from-arkos"),
            ],
          },
          page("Example application", "/example"),
        ],
      },
      {
        text: "Reference",
        items: [
          page("Configuration", "/reference/configuration"),
          page("Authentication", "/reference/authentication"),
          page("Model configuration", "/reference/model-configuration"),
          page("Environment variables", "/reference/environment"),
          page("Query language", "/reference/query-language"),
          page("Error codes", "/errors"),
          page("Command line", "/reference/cli"),
          page("HTTP contract", "/contract"),
          page("Contract by database", "/reference/contract-coverage"),
          page("Metrics", "/reference/metrics"),
          page("Timeouts and failures", "/reference/runtime-behaviour"),
          page("Upgrade policy", "/reference/upgrade-policy"),
          {
            text: "API",
            link: "/reference/api/",
            collapsed: true,
            items: apiPages.map(({ name, path }) => page(name, `/reference/api/${path}`)),
          },
        ],
      },
      {
        text: "Explanation",
        items: [
          page("How a request is processed", "/explanation/requests"),
          page("How access rules work", "/explanation/access-rules"),
          page("SQL and Prisma", "/explanation/sql-and-prisma"),
          page("Why Express", "/explanation/why-express"),
          page("Performance", "/explanation/performance"),
          page("Benchmarks", "/explanation/benchmarks"),
          page("Scaling", "/explanation/scaling"),
          page("Security model", "/explanation/security"),
          page("Cost limits", "/explanation/cost-limits"),
          page("Comparison", "/explanation/comparison"),
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
          page("Report a vulnerability", "/reporting"),
          page("Code of conduct", "/conduct"),
          ...decisions.map((name) =>
            page(name.replace(/^0*(\d+)-/, "$1. ").replaceAll("-", " "), `/decisions/${name}`),
          ),
        ],
      },
    ],
  },
});
