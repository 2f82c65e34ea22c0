import { expect, it } from "vitest";
import { isOperator, operators } from "./operators.js";

it("C18 has every operator of the contract, and no other", () => {
  expect(Object.keys(operators).sort()).toEqual(
    "contains endsWith equals every gt gte has hasEvery hasSome icontains iendsWith iequals in is isEmpty isNot isNull istartsWith lt lte none not notIn some startsWith".split(
      " ",
    ),
  );
});

it("C18 describes the i… operators", () => {
  expect(operators.icontains).toMatchObject({ operands: "one", base: "contains", insensitive: true, text: true });
  expect(operators.istartsWith.base).toBe("startsWith");
  expect(operators.iendsWith.base).toBe("endsWith");
  expect(operators.iequals.base).toBe("equals");
});

it.each(["in", "notIn", "hasSome", "hasEvery"] as const)("C18 %s takes a list", (name) => {
  expect(operators[name].operands).toBe("list");
});

it("does not accept an inherited name as an operator", () => {
  for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty", "", "GTE"]) {
    expect(isOperator(name)).toBe(false);
  }
});

it("cannot be changed", () => {
  expect(Object.isFrozen(operators)).toBe(true);
  expect(Object.isFrozen(operators.gte)).toBe(true);
});
