// `prisma generate` needs no schema engine, but insists on finding one and would download it.
// Any existing executable satisfies it; so does a real one that the caller names.
import { spawnSync } from "node:child_process";
import path from "node:path";

process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;
process.env.CHECKPOINT_DISABLE ??= "1";
process.env.PRISMA_HIDE_UPDATE_MESSAGE ??= "1";

// The generator `servicekit-prisma` is found by name, as `prisma` is: both are bins of this package's dependencies.
const PATH = Object.keys(process.env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
const bins = path.join(import.meta.dirname, "node_modules", ".bin");
process.env[PATH] = [bins, process.env[PATH]].join(path.delimiter);

const { status } = spawnSync("prisma", ["generate", "--no-hints"], {
  cwd: import.meta.dirname,
  stdio: "inherit",
  shell: process.platform === "win32",
});
process.exit(status ?? 1);
