import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FileUploadConfig } from "../src/index.js";
import { filesBelow } from "./serve.js";

/** A storage for tests. */
export interface TestStorage {
  readonly config: FileUploadConfig;
  /** Everything that is stored, including partial uploads. */
  stored(directory: string): string[];
  close(): Promise<void>;
}

const openDisk = async (): Promise<TestStorage> => ({
  config: {},
  stored: (directory) => filesBelow(join(directory, "uploads")),
  close: async () => undefined,
});

/** An S3-compatible store on a free port. */
export async function openS3(): Promise<TestStorage> {
  const { default: S3rver } = await import("s3rver");
  const directory = mkdtempSync(join(tmpdir(), "s3-"));
  const store = new S3rver({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory,
    configureBuckets: [{ name: "files", configs: [] }],
  });
  // The store does not support AbortMultipartUpload: it would retain the parts of every aborted upload.
  store.middleware.unshift(async (context, next) => {
    const { uploadId } = context.query;
    if (context.method !== "DELETE" || typeof uploadId !== "string") return next();
    rmSync(join(directory, "files", "._S3rver_uploads", uploadId), { recursive: true, force: true });
    context.status = 204;
  });
  const { port } = await store.run();
  const credentials = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };
  const own = new Set(filesBelow(directory));
  return {
    config: {
      storage: { type: "s3", bucket: "files", endpoint: `http://127.0.0.1:${port}`, credentials, prefix: "test/" },
    },
    // The store writes two additional files for each object.
    stored: () =>
      filesBelow(directory).filter((file) => !own.has(file) && !/_S3rver_(metadata.json|object.md5)$/.test(file)),
    async close() {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The storages with equal behavior (contract C36). */
export const storages = [
  ["disk", openDisk],
  ["s3", openS3],
] as const;
