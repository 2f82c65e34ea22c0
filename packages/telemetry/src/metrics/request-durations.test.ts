import { expect, it } from "vitest";
import { makeRequestDurations } from "./request-durations.js";

it("C69 counts the duration of requests in the format of Prometheus", () => {
  const durations = makeRequestDurations();
  durations.observe("GET", "/api/notes", 200, 0.004);
  durations.observe("GET", "/api/notes", 200, 0.3);
  durations.observe("GET", "/api/notes", 200, 99);
  durations.observe("BREW", 'a"b\\c', 405, 0.005);
  const lines = durations.text().split("\n");
  expect(lines.slice(0, 2)).toEqual([
    "# HELP http_request_duration_seconds Duration of requests, from the request headers to the end of the response.",
    "# TYPE http_request_duration_seconds histogram",
  ]);
  const labels = 'method="GET",route="/api/notes",status="200"';
  const bucket = (bound: string, count: number): string =>
    `http_request_duration_seconds_bucket{le="${bound}",${labels}} ${count}`;
  expect(lines).toEqual(
    expect.arrayContaining([
      bucket("0.005", 1),
      bucket("0.25", 1),
      bucket("0.5", 2),
      bucket("30", 2),
      bucket("+Inf", 3),
      `http_request_duration_seconds_sum{${labels}} ${0.004 + 0.3 + 99}`,
      `http_request_duration_seconds_count{${labels}} 3`,
      'http_request_duration_seconds_bucket{le="0.005",method="other",route="a\\"b\\\\c",status="405"} 1',
    ]),
  );
});
