import express, { type Request } from "express";
import { expect, it } from "vitest";
import { preferredType } from "./preferred-type.js";

const types = ["application/json", "text/csv"];
const preferred = (accept?: string) => {
  const request = Object.create(express().request) as Request;
  Object.assign(request, { headers: accept === undefined ? {} : { accept } });
  return preferredType(request, types);
};

it("returns the type that the Accept header prefers, and of equal ones the first", () => {
  expect(preferred()).toBe("application/json");
  expect(preferred("*/*")).toBe("application/json");
  expect(preferred("text/csv")).toBe("text/csv");
  expect(preferred("text/*, application/json;q=0.9")).toBe("text/csv");
  expect(preferred('text/csv; charset="utf-8"; header=present; q=0.4, application/json; q=0.5')).toBe(
    "application/json",
  );
  expect(preferred("image/png, text/csv;q=0")).toBeUndefined();
});
