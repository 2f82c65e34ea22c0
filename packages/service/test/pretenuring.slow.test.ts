import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** Creates long-lived objects, which V8 uses as feedback for others allocated at the same place. */
const program = `
  import v8 from "node:v8";
  import service from "@servicekit/service";
  const running = process.env.RUNS === "yes" ? await service.init({ port: 0 }) : undefined;
  v8.setFlagsFromString("--trace-pretenuring-statistics");
  const lasting = [];
  const make = (at) => ({ at, list: [at] });
  for (let at = 0; at < 400_000; at++) lasting.push(make(at));
  await running?.close();
`;

async function conclusionsOf(runs: "yes" | "no"): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
    cwd: path.join(import.meta.dirname, ".."),
    env: { PATH: process.env.PATH, NODE_ENV: "production", RUNS: runs },
    maxBuffer: 2 ** 28,
  });
  return stdout.match(/pretenuring: AllocationSite/g)?.length ?? 0;
}

it("does not pretenure objects of requests by what lived long at startup, once a service runs", async () => {
  expect(await conclusionsOf("no")).toBeGreaterThan(0);
  expect(await conclusionsOf("yes")).toBe(0);
});
