import { HttpError } from "@servicekit/core";
import { describe, expect, it } from "vitest";
import type { CommandResult, InspectedService } from "../src/commands/inspected-service.js";
import { addUser } from "../src/commands/user.js";
import { makeProgram } from "../src/program.js";
import { models } from "./models.js";

/** Runs `service user create` with a table of users, or with one that fails. */
async function create(args: readonly string[], failure?: Error) {
  const rows: object[] = [];
  const users = {
    findFirst: async () => {
      if (failure !== undefined) throw failure;
      return null;
    },
    create: async ({ data }: { data: object }) => rows.push(data),
  };
  const service = {
    config: { authentication: { mode: "static", enabled: true, login: { allowedUsernames: ["email"] } } },
    database: { models, of: () => users },
    hashPassword: async () => "$2b$12$hash",
  } as unknown as InspectedService;
  const program = makeProgram();
  let result: CommandResult | undefined;
  addUser(program, async (work) => {
    result = await work(service);
  });
  await program.parseAsync(["user", "create", ...args], { from: "user" });
  return { text: result?.text, rows };
}

describe("C73 service user create", () => {
  it("C73 creates a user with a role of the schema", async () => {
    const { text, rows } = await create([
      "--role",
      "BOSS",
      "--set",
      "email=Ada@example.com",
      "--password",
      "a long one 1",
    ]);
    expect(text).toBe("Created the user ada@example.com.");
    expect(rows).toEqual([{ email: "ada@example.com", role: "BOSS", password: "$2b$12$hash" }]);
  });

  it.each([
    [["--role", "BOS", "--set", "email=a@b.de"], "--role BOS: expected one of CLERK, BOSS. Did you mean BOSS?"],
    [["--set", "email=a@b.de", "role=CHIEF"], "--set role CHIEF: expected one of CLERK, BOSS."],
    [["--set", "emial=a@b.de"], "User has no field emial. Did you mean email?"],
    [["--set", "colour=red"], "User has no field colour. Expected one of id, email, role."],
    [["--set", "email"], "--set email: expected field=value."],
    [["--role", "BOSS"], "--set requires email, with which the user signs in: --set email=…"],
  ])("C73 reports the mistake in %j before it reads the database", async (args, message) => {
    const unread = new Error("The database was read.");
    await expect(create(args, unread)).rejects.toThrow(`service user create: ${message}`);
  });

  it.each([
    [
      new HttpError(503, "DatabaseUnavailable", "The database is unavailable."),
      /unavailable\. Start it, or correct DATABASE_URL\.$/,
    ],
    [new HttpError(500, "SchemaMismatch", "The tables differ."), /differ\. Run npx service migrate deploy\.$/],
    [new HttpError(500, "InvalidArguments", "A wrong value."), /^service user create: A wrong value\.$/],
  ])("C73 reports the database's %s with its fix", async (failure, message) => {
    await expect(create(["--role", "CLERK", "--set", "email=a@b.de"], failure)).rejects.toThrow(message);
  });
});
