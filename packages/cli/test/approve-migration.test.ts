import { describe, expect, it } from "vitest";
import { approveMigration } from "../src/dev/approve-migration.js";
import type { Keyboard } from "../src/dev/keyboard.js";
import { makeScreen } from "../src/dev/screen.js";

const message: string[] = [];
const screen = makeScreen({
  isTTY: false,
  write: (text: string) => message.push(text),
} as unknown as NodeJS.WriteStream);
const keyboard = (letter?: string): Keyboard => ({
  isThere: letter !== undefined,
  readKey: async () => letter ?? "n",
  close: () => {},
});
const migration = {
  name: "1_change",
  sql: 'ALTER TABLE "Post" ADD COLUMN x int;',
  warnings: [] as string[],
  isFirst: false,
};
const losing = { ...migration, warnings: ["All of x is lost."] };

describe("C73 a migration of service dev", () => {
  it("is applied without a prompt if it is the first one and loses no data", async () => {
    const first = { ...migration, isFirst: true };
    expect(await approveMigration(first, { keyboard: keyboard("n"), screen, isYes: false })).toBe(true);
  });

  it("is printed with a prompt at a terminal", async () => {
    expect(await approveMigration(migration, { keyboard: keyboard("y"), screen, isYes: false })).toBe(true);
    expect(message.join("")).toContain("ADD COLUMN x");
    expect(await approveMigration(losing, { keyboard: keyboard("n"), screen, isYes: false })).toBe(false);
    expect(message.join("")).toContain("All of x is lost.");
  });

  it("is applied without a terminal, and with --yes, if it loses no data", async () => {
    expect(await approveMigration(migration, { keyboard: keyboard(), screen, isYes: false })).toBe(true);
    expect(await approveMigration(migration, { keyboard: keyboard("n"), screen, isYes: true })).toBe(true);
  });

  it.each([
    ["without a terminal", keyboard(), false],
    ["with --yes", keyboard("y"), true],
  ])("is rejected %s if it loses data, and printed", async (_name, keys, isYes) => {
    const rejected = approveMigration(losing, { keyboard: keys, screen, isYes });
    await expect(rejected).rejects.toThrow(/1_change would delete rows[\s\S]*All of x is lost[\s\S]*ADD COLUMN x/);
  });
});
