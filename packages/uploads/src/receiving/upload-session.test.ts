import { expect, it } from "vitest";
import type { StoredFile } from "../files/uploaded-file.js";
import type { NewFile } from "../storage/file-storage.js";
import { beginSession } from "./upload-session.js";

function makeFile() {
  const calls: string[] = [];
  const note = (name: string) => async () => void calls.push(name);
  const file: NewFile = {
    destination: "",
    path: "",
    write: note("write"),
    commit: note("commit"),
    discard: note("discard"),
  };
  return { file, calls };
}

it("C35 discards a file that is still being written after it has been written", async () => {
  const session = beginSession(() => undefined);
  const { file, calls } = makeFile();
  let finish = (): void => undefined;
  const running = session.run(async (begin) => {
    begin(file);
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    calls.push("written");
    return {} as StoredFile;
  });
  const discarded = session.discard();
  finish();
  await Promise.all([running, discarded]);
  expect(calls).toEqual(["written", "discard"]);
});

it("C35 starts no file after the form has failed", async () => {
  const session = beginSession(() => undefined);
  await session.discard();
  const { file, calls } = makeFile();
  const late = session.run(async (begin) => {
    begin(file);
    return {} as StoredFile;
  });
  await expect(late).rejects.toMatchObject({ status: 400, code: "UploadAborted" });
  expect(calls).toEqual([]);
});
