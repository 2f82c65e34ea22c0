import { describe, expect, it } from "vitest";
import { approveMigration } from "../src/dev/approve-migration.js";
import type { Keyboard } from "../src/dev/keyboard.js";
import { makeScreen } from "../src/dev/screen.js";

const said: string[] = [];
const screen = makeScreen({ isTTY: false, write: (text: string) => said.push(text) } as unknown as NodeJS.WriteStream);
const keyboard = (letter?: string): Keyboard => ({
  isThere: letter !== undefined,
  ask: async () => letter ?? "n",
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
  it("is applied unasked where it is the first one and loses nothing", async () => {
    const first = { ...migration, isFirst: true };
    expect(await approveMigration(first, { keyboard: keyboard("n"), screen, isYes: false })).toBe(true);
  });

  it("is shown and asked for at a terminal", async () => {
    expect(await approveMigration(migration, { keyboard: keyboard("y"), screen, isYes: false })).toBe(true);
    expect(said.join("")).toContain("ADD COLUMN x");
    expect(await approveMigration(losing, { keyboard: keyboard("n"), screen, isYes: false })).toBe(false);
    expect(said.join("")).toContain("All of x is lost.");
  });

  it("is applied without a terminal, and with --yes, where it loses nothing", async () => {
    expect(await approveMigration(migration, { keyboard: keyboard(), screen, isYes: false })).toBe(true);
    expect(await approveMigration(migration, { keyboard: keyboard("n"), screen, isYes: true })).toBe(true);
  });

  it.each([
    ["without a terminal", keyboard(), false],
    ["with --yes", keyboard("y"), true],
  ])("is refused %s where it loses something, and shown", async (_name, keys, isYes) => {
    const refused = approveMigration(losing, { keyboard: keys, screen, isYes });
    await expect(refused).rejects.toThrow(/1_change would lose rows[\s\S]*All of x is lost[\s\S]*ADD COLUMN x/);
  });
});
