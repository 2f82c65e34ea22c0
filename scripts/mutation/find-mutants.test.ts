import { describe, expect, it } from "vitest";
import { applyMutant, applyProbes, drawMutants, findMutants } from "./find-mutants.js";

const changesOf = (code: string): string[] => findMutants("a.ts", code).map((mutant) => applyMutant(mutant, code));

describe("findMutants", () => {
  it.each([
    ["a === b;", ["a !== b;"]],
    ["a < 1;", ["a <= 1;"]],
    ["a ?? b;", ["((a) && (b));"]],
    ["a + b;", ["a - b;"]],
    ["!a;", ["a;"]],
    ["f(true);", ["f(false);"]],
    ["if (a) f();", ["if (true) f();", "if (false) f();"]],
    ["a ? b : c;", ["true ? b : c;", "false ? b : c;"]],
    ["(a as B) === b!;", ["(a as B) !== b!;"]],
  ])("changes %s", (code, expected) => {
    expect(changesOf(code)).toEqual(expected);
  });

  it("lists both operators of a nested expression", () => {
    expect(changesOf("a && b === c;")).toEqual(["((a) || (b === c));", "a && b !== c;"]);
  });

  it("leaves types and concatenated texts unchanged", () => {
    expect(changesOf("type A = true; interface B { c: false } let d: true | E<false>; f('a' + g);")).toEqual([]);
  });

  it("records the line before and after", () => {
    expect(findMutants("a.ts", "// é\n  const a = b === c;\n")).toMatchObject([
      { line: 2, before: "const a = b === c;", after: "const a = b !== c;" },
    ]);
  });

  it("reports a file that cannot be parsed", () => {
    expect(() => findMutants("a.ts", "const = 1")).toThrow(SyntaxError);
  });
});

describe("applyProbes", () => {
  it("records the mutants whose expressions are evaluated, without a change of the result", () => {
    const code = "return !a && b === c ? f(true) : d < e;";
    const mutants = findMutants("a.ts", `() => { ${code} }`);
    const shift = "() => { ".length;
    const probed = applyProbes(
      mutants.map(({ start, end }, index) => ({ start: start - shift, end: end - shift, index })),
      code,
    );
    const names = ["globalThis", "a", "b", "c", "d", "e", "f"];
    const run = (a: boolean, b: number): { reached: string[]; result: unknown } => {
      const reachedMutants = new Set<number>();
      const result = new Function(...names, probed)({ reachedMutants }, a, b, 1, 2, 3, (value: unknown) => [value]);
      return { result, reached: [...reachedMutants].map((index) => mutants[index]?.replacement ?? "") };
    };

    const condition = ["true", "false", "((!a) || (b === c))", "a"];
    expect(run(true, 1)).toEqual({ result: true, reached: [...condition, "d <= e"] });
    expect(run(false, 1)).toEqual({ result: [true], reached: [...condition, "b !== c", "false"] });
  });
});

describe("drawMutants", () => {
  const code = Array.from({ length: 30 }, (_, index) => `a${index} === b;`).join("\n");
  const lines = (source: string, seed: number, count: number): string[] =>
    drawMutants(findMutants("a.ts", source), seed, count).map(({ before }) => before);

  it("draws the same mutants for the same seed, others for another one", () => {
    expect(lines(code, 1, 10)).toHaveLength(10);
    expect(lines(code, 1, 10)).toEqual(lines(code, 1, 10));
    expect(lines(code, 2, 10)).not.toEqual(lines(code, 1, 10));
  });

  it("keeps the sample when it grows or when other lines move", () => {
    expect(lines(code, 1, 10).slice(0, 5)).toEqual(lines(code, 1, 5));
    expect(lines(`const more = 1;\n\n${code}`, 1, 10)).toEqual(lines(code, 1, 10));
  });
});
