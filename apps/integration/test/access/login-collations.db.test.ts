import { afterEach, describe, expect, it } from "vitest";
import { providers, type TestedProvider } from "../../../../scripts/test/provider-database.js";
import { makeOrders } from "../idempotency/serve-orders.js";

/** Makes the database find an email without regard to case, and where it can also without accents and blanks. */
const looseEmail: Readonly<Record<TestedProvider, readonly string[]>> = {
  postgresql: ["CREATE EXTENSION IF NOT EXISTS citext", 'ALTER TABLE "User" ALTER email TYPE citext'],
  sqlite: [
    "CREATE TABLE other (id INTEGER PRIMARY KEY, email TEXT UNIQUE COLLATE NOCASE, password TEXT NOT NULL, role TEXT NOT NULL DEFAULT 'CLERK')",
    'DROP TABLE "User"',
    'ALTER TABLE other RENAME TO "User"',
  ],
  mysql: ["ALTER TABLE User MODIFY email VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL"],
};

const right = "a horse that is correct";

const plain = ["admin", "Admin", "ADMIN", "aDmin", "adMin", "admIn", "admiN"];
const others = ["ádmin", "admìñ", "ÁDMIN", "ādmin", "admiń", "a\u0301dmin", "ａｄｍｉｎ"];

/** Different texts that some collation treats as the same email. */
const spellingsAt = (domain: string): readonly string[] => [...plain, ...others].map((name) => `${name}@${domain}`);

describe.each(providers)("C147 sign-in on %s", (provider) => {
  const orders = makeOrders(provider);
  afterEach(() => orders.close());

  const start = async () => {
    const service = await orders.start(
      {
        authentication: {
          mode: "static",
          rateLimit: false,
          password: { cost: 4 },
          login: { allowedUsernames: ["email"], normalizeNames: false },
        },
        middlewares: { rateLimit: false },
      },
      { JWT_SECRET: "0123456789abcdef0123456789abcdef" },
    );
    for (const sql of looseEmail[provider]) await service.run(sql);
    const password = await service.hashPassword(right);
    const signUp = async (email: string) => service.database?.of("User").create({ data: { email, password } });
    await signUp("admin@x.com");
    const login = async (email: string, password = "wrong horse") =>
      (await service.call("POST", "auth/login", { email, password })).status;
    return { signUp, login };
  };

  it("counts the failures of an account whatever spelling of its name finds it", async () => {
    const { login } = await start();
    expect(await login("ADMIN@x.com", right)).toBe(200);
    const statuses: number[] = [];
    for (const email of spellingsAt("x.com")) statuses.push(await login(email));
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(4).fill(429)]);
    expect(await login("aDMIN@x.com", right)).toBe(429);
  });

  it.runIf(provider === "mysql")("counts an account that letters of other alphabets find", async () => {
    const { signUp, login } = await start();
    await signUp("mas@x.com");
    const statuses: number[] = [];
    for (let at = 0; at < 12; at++) statuses.push(await login(at % 2 === 0 ? "maß@x.com" : "mas@x.com"));
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  });

  it("counts spellings of a name without an account in the same way", async () => {
    const { login } = await start();
    const statuses: number[] = [];
    for (const email of spellingsAt("y.com")) statuses.push(await login(email));
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(4).fill(429)]);
  });
});
