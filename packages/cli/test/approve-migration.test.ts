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
  impossible: [] as string[],
  isFirst: false,
};
const losing = { ...migration, warnings: ["All of x is lost."] };

describe("C73 a migration of service dev", () => {
  it("is applied without a prompt if it is the first one and loses no data", async () => {
    const first = { ...migration, isFirst: true };
    expect(await approveMigration(first, { keyboard: keyboard("n"), screen, isYes: false })).toBe("apply");
  });

  it("is printed with a prompt at a terminal", async () => {
    expect(await approveMigration(migration, { keyboard: keyboard("y"), screen, isYes: false })).toBe("apply");
    expect(message.join("")).toContain("ADD COLUMN x");
    expect(await approveMigration(losing, { keyboard: keyboard("n"), screen, isYes: false })).toBe("decline");
    expect(message.join("")).toContain("All of x is lost.");
  });

  it("is applied without a terminal, and with --yes, if it loses no data", async () => {
    expect(await approveMigration(migration, { keyboard: keyboard(), screen, isYes: false })).toBe("apply");
    expect(await approveMigration(migration, { keyboard: keyboard("n"), screen, isYes: true })).toBe("apply");
  });

  it.each([
    ["without a terminal", keyboard(), false],
    ["with --yes", keyboard("y"), true],
  ])("is rejected %s if it loses data, and printed", async (_name, keys, isYes) => {
    const rejected = approveMigration(losing, { keyboard: keys, screen, isYes });
    await expect(rejected).rejects.toThrow(/1_change would delete rows[\s\S]*All of x is lost[\s\S]*ADD COLUMN x/);
  });

  it("can be edited before it is applied", async () => {
    expect(await approveMigration(losing, { keyboard: keyboard("e"), screen, isYes: false })).toBe("edit");
  });

  describe("that fails with the existing rows", () => {
    const failing = { ...losing, impossible: losing.warnings };
    /** A keyboard that accepts only the offered letters, in this order. */
    const typing = (...letters: string[]): Keyboard => ({
      isThere: true,
      readKey: async (offered) => {
        const letter = letters.shift() ?? "n";
        expect(offered).toContain(letter);
        return letter;
      },
      close: () => {},
    });

    it("cannot be applied, but edited or declined", async () => {
      await expect(approveMigration(failing, { keyboard: typing("y"), screen, isYes: false })).rejects.toThrow();
      expect(await approveMigration(failing, { keyboard: typing("e"), screen, isYes: false })).toBe("edit");
      expect(await approveMigration(failing, { keyboard: typing("n"), screen, isYes: false })).toBe("decline");
    });

    it("is applied to an empty database after a confirmation", async () => {
      expect(await approveMigration(failing, { keyboard: typing("r", "y"), screen, isYes: false })).toBe("reset");
      expect(await approveMigration(failing, { keyboard: typing("r", "n"), screen, isYes: false })).toBe("decline");
    });
  });
});
