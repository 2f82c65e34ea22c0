import { describe } from "vitest";
import { describeFilters, isSample } from "./filter-cases.js";

describe("C18 a sample of its columns", () => describeFilters(isSample));
