import { hookedActs } from "@servicekit/auth";
import { authHookNames, fileUploadHookNames } from "@servicekit/model-router";
import { fileHookNames } from "@servicekit/uploads";
import { expect, it } from "vitest";

it("C45 the loader of modules knows the hooks of auth and file-upload that their packages run", () => {
  const around = hookedActs.flatMap((act) => [`before${act}`, `after${act}`]);
  expect([...authHookNames].sort()).toEqual(around.sort());
  expect([...fileUploadHookNames].sort()).toEqual([...fileHookNames].sort());
});
