import { expect, it } from "vitest";
import { joinFigures } from "./join-figures.js";

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

it("C69 C78 figures of several workers stand together, and each sample says whose it is", () => {
  const joined = joinFigures([
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

it("no worker that tells anything is an empty text", () => {
  expect(joinFigures([])).toBe("");
});
