import fs from "node:fs";
import path from "node:path";
import { capacitySections } from "./capacity/capacity-section.js";
import { changesSections } from "./changes/changes-section.js";
import { costsSections } from "./costs/costs-section.js";
import { scanSections } from "./costs/scan-section.js";
import { loginsSections } from "./logins/logins-section.js";
import { withProcessors } from "./measure/pin.js";
import { metricsSections } from "./metrics/metrics-section.js";
import { mysqlSections } from "./mysql/mysql-section.js";
import { overloadSections } from "./overload/overload-section.js";
import { peersSections } from "./peers/peers-section.js";
import { quotesSections } from "./quotes/quotes-section.js";
import { type Section, toMarkdown, toPage } from "./report.js";
import { sessionsSections } from "./sessions/sessions-section.js";
import { sqliteSections } from "./sqlite/sqlite-section.js";
import { startSections } from "./start/start-section.js";
import { streamsSections } from "./streams/streams-section.js";
import { uploadsSections } from "./uploads/uploads-section.js";
import { workersSections } from "./workers/workers-section.js";

const parts: Readonly<Record<string, () => Promise<Section[]>>> = {
  peers: () => withProcessors(peersSections),
  quotes: quotesSections,
  start: startSections,
  uploads: uploadsSections,
  logins: loginsSections,
  sessions: () => withProcessors(sessionsSections),
  costs: async () => [...(await costsSections()), ...(await scanSections())],
  metrics: metricsSections,
  changes: () => withProcessors(changesSections),
  streams: () => withProcessors(streamsSections),
  sqlite: sqliteSections,
  mysql: mysqlSections,
  workers: () => withProcessors(workersSections),
  overload: overloadSections,
  capacity: capacitySections,
};

const page = path.join(import.meta.dirname, "..", "..", "..", "docs", "explanation", "benchmarks.md");

const chosen = process.argv.slice(2).filter((word) => word !== "--page");
const isForPage = chosen.length === 0 || process.argv.includes("--page");
const unknown = chosen.filter((name) => parts[name] === undefined);
if (unknown.length > 0) {
  console.error(`Unknown part ${unknown.join(", ")}. The parts are ${Object.keys(parts).join(", ")}.`);
  process.exit(2);
}

const sections: Section[] = [];
for (const [name, measure] of Object.entries(parts)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.error(`Measuring: ${name} …`);
  const measured = await measure();
  for (const section of measured) console.log(toMarkdown(section));
  sections.push(...measured);
}

if (isForPage) {
  // A complete run replaces the page.
  const old = chosen.length > 0 && fs.existsSync(page) ? fs.readFileSync(page, "utf8") : "";
  fs.writeFileSync(page, toPage(sections, old));
  console.error(`Written: ${path.relative(process.cwd(), page)}`);
}
