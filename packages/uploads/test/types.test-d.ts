import { ServiceRouter } from "@servicekit/router";
import type { Request } from "express";
import { expectTypeOf } from "vitest";
import type { AroundStorage, FileCategory, FileData, FileUploadConfig } from "../src/index.js";

declare const request: Request;
expectTypeOf(request.file).toEqualTypeOf<Express.Multer.File | undefined>();
expectTypeOf<Express.Multer.File>().toExtend<FileData>();
expectTypeOf<Express.Multer.File["category"]>().toEqualTypeOf<FileCategory>();

ServiceRouter().post({ path: "/a", experimental: { uploads: { type: "single", field: "photo" } } }, (taken) => {
  expectTypeOf(taken.file?.pathname).toEqualTypeOf<string | undefined>();
  expectTypeOf(taken.files).toExtend<Express.Multer.File[] | Record<string, Express.Multer.File[]> | undefined>();
});

// @ts-expect-error: unknown category
export const wrongCategory: FileUploadConfig = { restrictions: { pictures: {} } };
// @ts-expect-error: nothing is attached so
ServiceRouter().post({ path: "/a", experimental: { uploads: { type: "single", field: "a", attachToBody: "path" } } });

// The wrapper of a storage operation returns its result.
declare const around: AroundStorage;
const found = () => around("find", () => Promise.resolve({ size: 5 }));
expectTypeOf(found).returns.resolves.toEqualTypeOf<{ size: number }>();
// @ts-expect-error unknown operation
void around("fetch", () => Promise.resolve(5));
