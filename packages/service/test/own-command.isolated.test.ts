import { inspectProgram } from "@servicekit/config-loader/internal";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { service } from "../src/index.js";
import { alone } from "./start.js";

const running: { close(): Promise<void> }[] = [];
let output = "";
beforeEach(() => {
  output = "";
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((chunk) => {
      output += chunk;
      return true;
    });
  vi.spyOn(process, "exit").mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const one of running.splice(0)) await one.close();
});
const withArguments = (...argv: string[]) => ({ ...alone, argv });

it("C40 a program runs an inspecting command instead of its service, and ends with the exit code of the command", async () => {
  await expect(service.init({ port: 0 }, withArguments("routes"))).rejects.toThrow("exit 0");
  expect(output).toMatch(/^GET +\/api +everyone +the welcome endpoint$/m);
  await expect(service.init({ port: 0 }, withArguments("routes", "--open=1"))).rejects.toThrow("exit 1");
  expect(output).toContain("unknown option '--open=1'");
});

it("explains exceptions of modules that a program imports after the service", () => {
  const error = new TypeError("Reflect.getMetadata is not a function");
  const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
  process.listeners("uncaughtExceptionMonitor").forEach((listener) => {
    (listener as (error: Error) => void)(error);
  });
  expect(String(printed.mock.calls)).toContain(
    'run "npm install reflect-metadata", and import "reflect-metadata" before the class.',
  );
});

it("C40 a program that only creates its service runs the command if it is inspected", async () => {
  running.push(await service.create({}, withArguments("routes")));
  expect(output).toBe("");
  inspectProgram();
  await expect(service.create({}, withArguments("routes"))).rejects.toThrow("exit 0");
  expect(output).toContain("the welcome endpoint");
});
