import { describe } from "vitest";
import { providers } from "../../../scripts/test/provider-database.js";
import { compareWithPostgres } from "./compare-providers.js";

// providers.slow.test.ts compares everything.
describe("C113 sqlite and PostgreSQL", () => compareWithPostgres("sqlite", 0.2));

if (providers.includes("mysql")) describe("C119 mysql and PostgreSQL", () => compareWithPostgres("mysql", 0.1));
