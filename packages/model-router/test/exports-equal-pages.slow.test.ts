import { describe } from "vitest";
import { drawn } from "../../../scripts/test/slow-share.js";
import { compareExports } from "./compare-exports.js";

describe("C104 exports and pages", () => compareExports({ first: 1_000, runs: drawn(200) }));
