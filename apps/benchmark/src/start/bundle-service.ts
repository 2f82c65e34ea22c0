import { execFile } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";

/** A bundled program; `end` takes it away. */
export interface BundledBoot {
  readonly program: string;
  readonly end: () => void;
}

/** Writes a program that starts the example as `boot.ts` does, and makes its bundle as a user would. */
export async function bundleBoot(shop: string): Promise<BundledBoot> {
  const benchmark = path.join(import.meta.dirname, "..", "..");
  const folder = fs.mkdtempSync(path.join(benchmark, ".boot-"));
  const write = (file: string, text: string): void => fs.writeFileSync(path.join(folder, file), text);
  const inBundle = (file: string): string => JSON.stringify(path.relative(path.join(folder, "src"), file));
  fs.mkdirSync(path.join(folder, "src"));
  write("package.json", JSON.stringify({ name: "boot", type: "module" }));
  write(
    "tsconfig.json",
    JSON.stringify({ compilerOptions: { module: "nodenext", target: "es2022", skipLibCheck: true } }),
  );
  write(
    "src/main.ts",
    `import service from "@servicekit/service";
import { makeShopConfig } from ${inBundle(path.join(shop, "app.js"))};
import { answerParent, cpuTime } from ${inBundle(path.join(benchmark, "dist", "processes", "answer-parent.js"))};
await service.init({ ...makeShopConfig(), port: 0, host: "127.0.0.1" }, { directory: import.meta.dirname });
answerParent(cpuTime(), cpuTime);
`,
  );
  const manifest = createRequire(import.meta.url).resolve("@servicekit/service/package.json");
  const command = path.join(path.dirname(manifest), "bin", "service.js");
  await promisify(execFile)(process.execPath, [command, "build", "--bundle"], { cwd: folder });
  return {
    program: path.join(folder, "dist", "bundle", "main.js"),
    end: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}
