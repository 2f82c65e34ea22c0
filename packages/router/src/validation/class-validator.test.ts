import "reflect-metadata";
import { IsString } from "class-validator";
import { expect, it, onTestFinished } from "vitest";
import { checkDtoClass } from "./class-validator.js";

class NoteDto {
  @IsString() text!: string;
}

it("accepts a class with decorators", () => {
  expect(checkDtoClass(NoteDto)).toEqual([]);
});

it("rejects a class without a decorator", () => {
  class Plain {}
  expect(checkDtoClass(Plain)).toEqual([
    "The class Plain has no class-validator decorator, so it would reject every field.",
  ]);
});

it("reports in one line that reflect-metadata is not loaded", () => {
  const { getMetadata } = Reflect;
  onTestFinished(() => void Object.assign(Reflect, { getMetadata }));
  Reflect.deleteProperty(Reflect, "getMetadata");
  expect(checkDtoClass(NoteDto)).toEqual([
    'The class NoteDto requires reflect-metadata, which is not loaded. Run npm install reflect-metadata, and import "reflect-metadata" before the class.',
  ]);
});
