import { describe, expect, it } from "vitest";
import { migrationName } from "./migration-name.js";

describe("migrationName", () => {
  it.each([
    ["Add author to post", "add_author_to_post"],
    ["  größe/Ä!  ", "gro_e_a"],
    ["../../escape", "escape"],
    ["", "migration"],
    ["....", "migration"],
    ["a/b\\c\0d", "a_b_c_d"],
    ["x".repeat(500), "x".repeat(80)],
    ["日本", "migration"],
  ])("turns %j into %s", (words, ending) => {
    const name = migrationName(words, undefined);
    expect(name).toMatch(/^\d{14}_/);
    expect(name.slice(15)).toBe(ending);
  });

  it.each([
    ["29991231235959_future", "30000101000000_x"],
    ["29980228235959_", "29980301000000_x"],
  ])("sorts after %s", (last, name) => {
    expect(migrationName("x", last)).toBe(name);
  });

  it("sorts after a name of the same second", () => {
    const first = migrationName("z", undefined);
    expect(migrationName("a", first) > first).toBe(true);
  });

  it("accepts a last name in another format", () => {
    expect(migrationName("x", "0_init")).toMatch(/^20\d{12}_x$/);
  });
});
