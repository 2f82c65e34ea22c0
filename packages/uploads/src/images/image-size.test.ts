import { describe, expect, it } from "vitest";
import { type ImageChange, sizeOf } from "./image-size.js";

const cases: readonly [change: ImageChange, image: string, size: string][] = [
  [{}, "40x30", "40x30"],
  [{ width: 20 }, "40x30", "20x15"],
  [{ height: 20 }, "40x30", "27x20"],
  [{ width: 400 }, "40x30", "40x30"],
  [{ height: 400 }, "40x30", "40x30"],
  [{ width: 3000, height: 3000 }, "2x2", "2x2"],
  [{ width: 20, height: 10 }, "40x30", "20x10"],
  // If the box is larger than the image, its proportions apply.
  [{ width: 100, height: 50 }, "40x30", "40x20"],
  [{ width: 60, height: 10, fit: "cover" }, "40x30", "40x7"],
  [{ width: 3000, height: 2000, fit: "contain" }, "2x2", "3x2"],
  [{ width: 20, height: 20, fit: "contain" }, "40x30", "20x20"],
  [{ width: 100, height: 20, fit: "contain" }, "40x30", "100x20"],
  [{ width: 20, height: 100, fit: "fill" }, "40x30", "20x30"],
  [{ width: 20, height: 100, fit: "inside" }, "40x30", "20x15"],
  [{ width: 400, height: 300, fit: "inside" }, "40x30", "40x30"],
  [{ width: 20, height: 20, fit: "outside" }, "40x30", "27x20"],
  [{ width: 20, height: 20, fit: "outside" }, "100x40000", "20x8000"],
  // Client options are limited by the configuration.
  [{ format: "avif", within: { width: 200, height: 100 } }, "4000x3000", "133x100"],
  [{ width: 20, height: 20, fit: "outside", within: { width: 200, height: 100 } }, "100x40000", "1x100"],
  [{ width: 20, within: { width: 200, height: 100 } }, "100x40000", "1x100"],
  [{ width: 1 }, "10000x1", "1x1"],
  [{ maxPixels: 1_000_000 }, "2000x2000", "1000x1000"],
  [{ maxPixels: 1_000_000, width: 100 }, "2000x2000", "100x100"],
  [{ maxPixels: 1_000_000, width: 4000, height: 1000 }, "4000x1000", "2000x500"],
];

describe("C37 the size of a converted image", () => {
  it.each(cases)("%j of %s is %s", (change, image, size) => {
    const [width = 0, height = 0] = image.split("x").map(Number);
    const result = sizeOf(change, { width, height });
    expect(`${result.width}x${result.height}`).toBe(size);
  });
});
