import { afterEach, describe, expect, it } from "vitest";
import type { RuntimeEnvironment } from "../src/config/settings.js";
import { type ServiceInitConfig, type ServiceSettings } from "../src/index.js";
import { loadSettings } from "./load-settings.js";
import { makeProjects } from "./project-folder.js";
import { alone } from "./start.js";

const { project, removeAll } = makeProjects();
afterEach(removeAll);

/** The settings of a service; their effects are tested where they are used. */
const settingsOf = (init: ServiceInitConfig, around: RuntimeEnvironment = {}): Promise<ServiceSettings> =>
  loadSettings(init, { ...alone, ...around });

const secret = "0f7a1c94-5e2b-4d38-9a60-b1c2d3e4f5a6";

describe("C24 the secret", () => {
  const startWith = (given: string | undefined, NODE_ENV: string, enabled = true) =>
    settingsOf(
      { authentication: { mode: "static", enabled } },
      { environment: { NODE_ENV, ...(given === undefined ? {} : { JWT_SECRET: given }) }, directory: project() },
    );

  it.each([
    ["is missing", undefined],
    ["is empty", ""],
    ["is blank", " , "],
  ])("prevents startup if it %s", async (_title, given) => {
    for (const NODE_ENV of ["production", "development", "test"]) {
      await expect(startWith(given, NODE_ENV)).rejects.toThrow(/JWT_SECRET[\s\S]*Make one with: /);
    }
    await startWith(given, "production", false);
  });

  it.each([
    ["has 31 bytes", secret.slice(0, 31)],
    ["is an old one that is short", `${secret},short`],
    ["is a word", "changeme"],
    ["is a word many times", "changeme".repeat(6)],
    ["is the placeholder of a template", "your-super-secret-jwt-key-change-this-in-production"],
    ["is the placeholder of another template", "your-256-bit-secret-must-be-at-least-32-characters-long"],
    ["is one letter", "a".repeat(64)],
    ["is two", "xy".repeat(32)],
    ["is a row of digits", "01234567890123456789012345678901234567890"],
    ["is an old one that is a placeholder", `${secret},${"secret-".repeat(6)}`],
  ])("prevents startup in production if it %s, without showing it", async (_title, given) => {
    const error = await startWith(given, "production").catch((reason: Error) => reason);
    expect((error as Error).message).toMatch(
      /^The service cannot start \(1 error\):[\s\S]*JWT_SECRET[\s\S]*Make one with/,
    );
    expect((error as Error).message).not.toContain(given);
    await startWith(given, "development");
  });

  it.each([
    ["random in base64", "q7Jk1m0XvZ3yq8s2b9T4u6w1e5r7t9y2u4i6o8p0a2s4d6f8"],
    ["random in hexadecimal", "5f4dcc3b5aa765d61d8327deb882cf99a1b2c3d4e5f60718"],
    ["random in digits", "83920174650918273645546372819083746529"],
    ["in another script", "ὁ λιμὴν κλειστός ἐστιν ἐν τῷ χειμῶνι"],
    ["a sentence", "the harbour is closed on windy mondays in may"],
    ["two of them", `${secret},q7Jk1m0XvZ3yq8s2b9T4u6w1e5r7t9y2u4i6o8p0`],
  ])("is accepted in production if it is %s", async (_title, given) => {
    await startWith(given, "production");
  });
});
