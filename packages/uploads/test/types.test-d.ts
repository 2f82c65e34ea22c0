import { ServiceRouter } from "@servicekit/router";
import type { Request } from "express";
import { expectTypeOf } from "vitest";
import type { FileCategory, FileData, FileUploadConfig } from "../src/index.js";

declare const request: Request;
expectTypeOf(request.file).toEqualTypeOf<Express.Multer.File | undefined>();
expectTypeOf<Express.Multer.File>().toExtend<FileData>();
expectTypeOf<Express.Multer.File["category"]>().toEqualTypeOf<FileCategory>();

ServiceRouter().post({ path: "/a", experimental: { uploads: { type: "single", field: "photo" } } }, (taken) => {
  expectTypeOf(taken.file?.pathname).toEqualTypeOf<string | undefined>();
  expectTypeOf(taken.files).toExtend<Express.Multer.File[] | Record<string, Express.Multer.File[]> | undefined>();
});

// @ts-expect-error: there is no such category
export const wrongCategory: FileUploadConfig = { restrictions: { pictures: {} } };
// @ts-expect-error: nothing is attached so
ServiceRouter().post({ path: "/a", experimental: { uploads: { type: "single", field: "a", attachToBody: "path" } } });
