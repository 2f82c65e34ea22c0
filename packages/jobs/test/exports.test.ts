import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as settings from "../src/settings.js";

it("exports exactly these values from @servicekit/jobs", () => {
  expect(Object.keys(main).sort()).toEqual([
    "UnrecoverableError",
    "isJobOf",
    "makeDispatcher",
    "makeJobs",
    "makeQueues",
    "makeSubscribers",
    "readPositionModel",
  ]);
});

it("exports exactly these values from @servicekit/jobs/settings", () => {
  expect(Object.keys(settings).sort()).toEqual([
    "UnrecoverableError",
    "isJob",
    "jobSchema",
    "jobsSchema",
    "positionModelName",
    "subscriberNames",
    "toJob",
  ]);
});
