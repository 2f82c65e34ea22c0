import { describe } from "vitest";
import { providers } from "../../../scripts/test/provider-database.js";
import { compareWithPostgres } from "./compare-providers.js";

describe("C113 sqlite and PostgreSQL", () => compareWithPostgres("sqlite"));

// providers.slow.test.ts compares everything.
if (providers.includes("mysql")) describe("C119 mysql and PostgreSQL", () => compareWithPostgres("mysql", 0.1));
