import { expect, it } from "vitest";
import { joinMetrics } from "./join-metrics.js";

const text = (value: number): string =>
  [
    "# HELP up Whether it is.",
    "# TYPE up gauge",
    `up ${value}`,
    "",
    "# HELP seen_total What was seen.",
    "# TYPE seen_total counter",
    `seen_total{route="/a b{}\\"",status="200"} ${value}`,
    "",
  ].join("\n");

it("C69 C78 joins the metrics of several workers by name, and labels each sample with its worker", () => {
  const joined = joinMetrics([
    [1, text(3)],
    [2, text(4)],
  ]);
  expect(joined).toBe(
    [
      "# HELP up Whether it is.",
      "# TYPE up gauge",
      'up{worker="1"} 3',
      'up{worker="2"} 4',
      "# HELP seen_total What was seen.",
      "# TYPE seen_total counter",
      'seen_total{route="/a b{}\\"",status="200",worker="1"} 3',
      'seen_total{route="/a b{}\\"",status="200",worker="2"} 4',
      "",
    ].join("\n"),
  );
});

it("returns an empty text if no worker reports metrics", () => {
  expect(joinMetrics([])).toBe("");
});
