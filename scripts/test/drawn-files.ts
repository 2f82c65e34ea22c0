import { randomInt } from "node:crypto";
import type { TestProject } from "vitest/node";
import { slowShare } from "./slow-share.js";

/** Files of which a run with a share of the cases executes one of each group: they show similar things, and each takes long. */
export const groups: readonly (readonly string[])[] = [
  // Packages that are installed, and pages of the documentation that are followed, in a new project.
  [
    "scripts/publish.slow.test.ts",
    "scripts/check-optional.slow.test.ts",
    "packages/create-servicekit/test/from-nothing.slow.test.ts",
    "packages/create-servicekit/test/mysql-project.slow.test.ts",
    "packages/create-servicekit/test/tutorial.slow.test.ts",
    "scripts/existing-project.slow.test.ts",
    "scripts/check-deployment.slow.test.ts",
  ],
  // Pages of documentation and guides in a browser.
  [
    "apps/example/test/live-page.slow.test.ts",
    "apps/example/test/react-page.slow.test.ts",
    "apps/example/test/telemetry-page.slow.test.ts",
    "apps/docs/test/site.slow.test.ts",
    "apps/example/test/pages.slow.test.ts",
    "packages/openapi/test/pages.slow.test.ts",
  ],
  // The document of the example, and programs that read it.
  [
    "apps/example/test/document.slow.test.ts",
    "apps/example/test/document-tools.slow.test.ts",
    "apps/example/test/document-accepts.slow.test.ts",
  ],
  // The studio in a browser.
  [
    "apps/example/test/studio/data.slow.test.ts",
    "apps/example/test/studio/pages.slow.test.ts",
    "apps/example/test/studio/summary.slow.test.ts",
    "apps/example/test/studio/trouble.slow.test.ts",
    "apps/integration/test/studio/history.slow.test.ts",
    "apps/integration/test/studio/large.slow.test.ts",
    "apps/integration/test/studio/operation.slow.test.ts",
    "apps/integration/test/studio/providers.slow.test.ts",
    "apps/integration/test/studio/soft-delete.slow.test.ts",
    "apps/integration/test/studio/totals.slow.test.ts",
    "apps/integration/test/studio/visitors.slow.test.ts",
  ],
  // Requests to every model of a large or unusual schema.
  [
    "apps/integration/test/schemas/folder.slow.test.ts",
    "apps/integration/test/schemas/hundred.slow.test.ts",
    "apps/integration/test/schemas/names.slow.test.ts",
    "apps/integration/test/schemas/shop.slow.test.ts",
  ],
  // Programs that are built and run outside of the repository.
  [
    "packages/cli/test/bundle.slow.test.ts",
    "packages/cli/test/eject.slow.test.ts",
    "packages/service/test/templates.slow.test.ts",
  ],
  // The command `service`, built, in a project; the tests of a package with mutants.
  [
    "packages/cli/test/commands.slow.test.ts",
    "scripts/mutation/mutate-package.slow.test.ts",
    "scripts/service-init.slow.test.ts",
  ],
  // `npm start`, and the process of the example.
  [
    "apps/example/test/start.slow.test.ts",
    "apps/example/test/start-forms.slow.test.ts",
    "apps/example/test/process.slow.test.ts",
    "scripts/start.slow.test.ts",
    "scripts/start-from-clone.slow.test.ts",
  ],
  // A cluster of PostgreSQL.
  [
    "packages/service/test/background-failover.slow.test.ts",
    "packages/service/test/reads-per-second.slow.test.ts",
    "packages/service/test/replicas.slow.test.ts",
  ],
  // Drawn schemas and values of generated routes.
  [
    "packages/model-router/test/generated-schemas.slow.test.ts",
    "packages/model-router/test/round-trip.slow.test.ts",
    "packages/model-router/test/unusual-values.slow.test.ts",
  ],
  // Concurrent writes of the same rows.
  ["apps/example/test/model-concurrency.slow.test.ts", "packages/model-router/test/concurrency.slow.test.ts"],
  // Many requests that are drawn or sent twice.
  ["apps/example/test/hardening/fuzz.slow.test.ts", "apps/example/test/hardening/repeats.slow.test.ts"],
  // Deliveries of processes that are killed.
  ["packages/jobs/test/kill.slow.test.ts", "packages/service/test/webhooks.slow.test.ts"],
  // Clients that do not read, and a process that does not respond.
  ["packages/service/test/operation-slow-clients.slow.test.ts", "packages/service/test/stall.slow.test.ts"],
  // Recorded states and deleted rows with drawn access rules.
  [
    "apps/integration/test/soft-delete/soft-delete.slow.test.ts",
    "apps/integration/test/invariants/histories.slow.test.ts",
  ],
  // The example in processes of its own: under load, and several instances of which some are restarted or killed.
  [
    "apps/example/test/behind-one-url.slow.test.ts",
    "apps/example/test/ended-sessions.slow.test.ts",
    "apps/example/test/rolling-restart.slow.test.ts",
    "apps/example/test/files-memory.slow.test.ts",
    "apps/example/test/repeated-requests.slow.test.ts",
    "apps/example/test/workers.slow.test.ts",
  ],
  // Migrations and servers of development.
  [
    "packages/cli/test/search-migrations.slow.test.ts",
    "packages/dev-database/test/migrations.slow.test.ts",
    "packages/dev-database/test/start-dev-database.slow.test.ts",
  ],
  // Programs that a service starts.
  [
    "packages/service/test/cli.slow.test.ts",
    "packages/service/test/job-worker.slow.test.ts",
    "packages/service/test/migrate.slow.test.ts",
  ],
  // Drawn reads and writes, compared between engines.
  [
    "packages/model-router/test/sql-reads.slow.test.ts",
    "packages/model-router/test/sql-writes.slow.test.ts",
    "apps/example/test/model-differential.slow.test.ts",
    "apps/integration/test/chinook/differential.slow.test.ts",
    "packages/model-router/test/two-databases.slow.test.ts",
  ],
  // The same requests on each database.
  ["apps/example/test/providers/shop-requests.slow.test.ts", "packages/model-router/test/providers.slow.test.ts"],
  // Sources of the whole repository.
  ["scripts/check-patterns.slow.test.ts", "scripts/check-readmes.slow.test.ts"],
  // Attacks on accounts and files.
  [
    "apps/example/test/hardening/login-limits.slow.test.ts",
    "apps/example/test/hardening/mcp.slow.test.ts",
    "apps/example/test/hardening/sign-in.slow.test.ts",
    "apps/example/test/hardening/uploads.slow.test.ts",
  ],
  // Measurements, during which nothing else runs.
  [
    "apps/example/test/hardening/costs.clock.test.ts",
    "apps/example/test/start.clock.test.ts",
    "packages/service/test/request-readers.clock.test.ts",
  ],
  // What `npm test` shows with static accounts, here with dynamic ones.
  ...[
    ["accounts", "callers", "sessions", "tokens"],
    ["computed", "data-routes", "rights"],
    ["forms", "keys", "mails"],
    ["costs", "requests", "start"],
  ].map((names) => names.map((name) => `apps/example/test/hardening/${name}.modes.test.ts`)),
];

/** The files of the groups that are not drawn: none if all cases are run. */
export function undrawnFiles(): string[] {
  if (slowShare >= 1) return [];
  return groups.flatMap((files) => {
    const drawn = randomInt(files.length);
    return files.filter((_, index) => index !== drawn);
  });
}

/** Prints which files are not drawn, and why tests are skipped. */
export default function setup({ config }: TestProject): void {
  if (slowShare >= 1) return;
  const undrawn = config.exclude.filter((file) => groups.flat().includes(file));
  console.log(`SLOW_SHARE is ${slowShare}: tests that are not drawn in this run are skipped, and so are these files:
${undrawn.join("\n")}\n`);
}
