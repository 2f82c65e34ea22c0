import { describeFilters, isSample } from "./filter-cases.js";

describeFilters(isSample);
