import { execFile } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";

/** A bundled program; `remove` deletes it. */
export interface BundledService {
  readonly program: string;
  readonly remove: () => void;
}

/** Writes a program that starts the example as `start-service.ts` does, and bundles it with `service build --bundle`. */
export async function bundleService(example: string): Promise<BundledService> {
  const benchmark = path.join(import.meta.dirname, "..", "..");
  const folder = fs.mkdtempSync(path.join(benchmark, ".start-"));
  const write = (file: string, text: string): void => fs.writeFileSync(path.join(folder, file), text);
  const inBundle = (file: string): string => JSON.stringify(path.relative(path.join(folder, "src"), file));
  fs.mkdirSync(path.join(folder, "src"));
  write("package.json", JSON.stringify({ name: "start", type: "module" }));
  write(
    "tsconfig.json",
    JSON.stringify({ compilerOptions: { module: "nodenext", target: "es2022", skipLibCheck: true } }),
  );
  write(
    "src/main.ts",
    `import service from "@servicekit/service";
import { makeShopConfig } from ${inBundle(path.join(example, "dist", "app.js"))};
import { serveParent, reportUsage } from ${inBundle(path.join(benchmark, "dist", "processes", "parent-channel.js"))};
const { server } = await service.init({ ...makeShopConfig(), port: 0, host: "127.0.0.1" }, { directory: import.meta.dirname });
serveParent((server.address() as { port: number }).port, reportUsage);
`,
  );
  const manifest = createRequire(import.meta.url).resolve("@servicekit/service/package.json");
  const command = path.join(path.dirname(manifest), "bin", "service.js");
  await promisify(execFile)(process.execPath, [command, "build", "--bundle"], { cwd: folder });
  return {
    program: path.join(folder, "dist", "bundle", "main.js"),
    remove: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}
