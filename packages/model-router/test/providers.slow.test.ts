import { describe } from "vitest";
import { providers } from "../../../scripts/test/provider-database.js";
import { slowShare } from "../../../scripts/test/slow-share.js";
import { compareWithPostgres } from "./compare-providers.js";

if (providers.includes("mysql")) describe("C119 mysql and PostgreSQL", () => compareWithPostgres("mysql", slowShare));
else describe.skip("C119 mysql and PostgreSQL", () => compareWithPostgres("mysql"));
