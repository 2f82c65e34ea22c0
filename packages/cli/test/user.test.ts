import { HttpError } from "@servicekit/core";
import { describe, expect, it } from "vitest";
import type { CommandResult, InspectedService } from "../src/commands/inspected-service.js";
import { addUser } from "../src/commands/user.js";
import { makeProgram } from "../src/program.js";
import { models } from "./models.js";

interface Setup {
  /** The error of the table of users. */
  readonly failure?: Error;
  readonly normalizeNames?: boolean;
  readonly allowedUsernames?: readonly string[];
  /** The stored users. */
  readonly users?: readonly { readonly id: number; readonly email: string }[];
}

/** Runs `service user create` with a table of users. */
async function create(
  args: readonly string[],
  { failure, users: stored = [], allowedUsernames = ["email"], ...login }: Setup = {},
) {
  const rows: object[] = [];
  const changes: object[] = [];
  const users = {
    findFirst: async ({ where }: { where: object }) => {
      if (failure !== undefined) throw failure;
      const [[field = "", value] = []] = Object.entries(where);
      return stored.find((user) => Reflect.get(user, field) === value) ?? null;
    },
    create: async ({ data }: { data: object }) => rows.push(data),
    update: async (change: object) => changes.push(change),
  };
  const service = {
    config: { authentication: { mode: "static", enabled: true, login: { allowedUsernames, ...login } } },
    database: { models, of: () => users },
    hashPassword: async () => "$2b$12$hash",
  } as unknown as InspectedService;
  const program = makeProgram();
  let result: CommandResult | undefined;
  addUser(program, async (work) => {
    result = await work(service);
  });
  await program.parseAsync(["user", "create", ...args], { from: "user" });
  return { text: result?.text, rows, changes };
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

  it("C73 stores the names as they are given if login.normalizeNames is false", async () => {
    const { rows } = await create(["--role", "BOSS", "--set", "email=Ada@example.com"], { normalizeNames: false });
    expect(rows).toMatchObject([{ email: "Ada@example.com" }]);
  });

  it("C73 normalizes an email address that is not a login name, as a signup does", async () => {
    const args = ["--role", "BOSS", "--set", "id=7", "email=Ada@example.com"];
    const { rows } = await create(args, { allowedUsernames: ["id"] });
    expect(rows).toMatchObject([{ email: "ada@example.com" }]);
  });

  it("C73 changes a user whose name was stored before names were normalized", async () => {
    const stored = [{ id: 5, email: "Ada@example.com" }];
    const { text, rows, changes } = await create(["--role", "BOSS", "--set", "email=Ada@example.com"], {
      users: stored,
    });
    expect(text).toBe("Ada@example.com already exists. The password is unchanged; role is set.");
    expect({ rows, changes }).toEqual({ rows: [], changes: [{ where: { id: 5 }, data: { role: "BOSS" } }] });
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
    await expect(create(args, { failure: unread })).rejects.toThrow(`service user create: ${message}`);
  });

  it.each([
    [
      new HttpError(503, "DatabaseUnavailable", "The database is unavailable."),
      /unavailable\. Start it, or correct DATABASE_URL\.$/,
    ],
    [new HttpError(500, "SchemaMismatch", "The tables differ."), /differ\. Run npx service migrate deploy\.$/],
    [new HttpError(500, "InvalidArguments", "A wrong value."), /^service user create: A wrong value\.$/],
  ])("C73 reports the database's %s with its fix", async (failure, message) => {
    await expect(create(["--role", "CLERK", "--set", "email=a@b.de"], { failure })).rejects.toThrow(message);
  });
});
