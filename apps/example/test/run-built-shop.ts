import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";

const example = path.join(import.meta.dirname, "..");
const built = path.join(example, "dist", "start-shop.js");

/** The built shop in a separate process. */
export interface ShopRun {
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
  output(): string;
  /** Milliseconds until the output contains the text. */
  until(text: string): Promise<number>;
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** The program of `npm start`, in a separate folder. */
export function startBuiltShop(directory: string, port: number): ShopRun {
  const main = `import { startShop } from ${JSON.stringify(pathToFileURL(built).href)};
    startShop({ directory: ${JSON.stringify(directory)}, environment: process.env, describe: (line) => console.log(line) })
      .catch((error) => { console.error(error.message); process.exitCode = 1; });`;
  const { DATABASE_URL: _, ...environment } = process.env;
  const child = spawn(process.execPath, ["--input-type=module", "-e", main], {
    env: { ...environment, PORT: String(port), HOST: "127.0.0.1" },
  });
  const began = Date.now();
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (text += chunk));
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return {
    child,
    exit,
    output: () => text,
    until: async (wanted) => {
      while (!text.includes(wanted)) {
        if (child.exitCode !== null) expect.fail(`The shop exited with ${child.exitCode}:\n${text}`);
        if (Date.now() - began > 120_000)
          expect.fail(`The output did not contain "${wanted}" within two minutes:\n${text}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return Date.now() - began;
    },
  };
}

/** A folder with all files that the shop reads at startup. */
export function makeShopFolder(): string {
  if (!fs.existsSync(built)) throw new Error("The example is not built: npm run build");
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-shop-"));
  // Accessible to the account of the server if this process runs as root.
  fs.chmodSync(directory, 0o755);
  for (const part of ["prisma", "package.json", "service.config.ts"]) {
    fs.cpSync(path.join(example, part), path.join(directory, part), { recursive: true });
  }
  // The modules and jobs find their packages from their own place.
  fs.symlinkSync(path.join(example, "src"), path.join(directory, "src"));
  return directory;
}
