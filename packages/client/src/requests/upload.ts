import { fillPath } from "../path.js";
import type { CallOptions, Send } from "./send.js";

/** A file that the service keeps (contract C34). */
export interface UploadedFile {
  /** The name that it is stored under. */
  readonly name: string;
  /** The name that it came with, cleaned. */
  readonly originalName: string;
  readonly category: string;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  /** The path that serves it. */
  readonly pathname: string;
  readonly url: string;
}

/** Sends files to a category of the file router. Its progress is told by `@servicekit/client/progress`. */
export function makeUpload(send: Send) {
  return async (category: string, files: readonly Blob[], options?: CallOptions): Promise<{ data: UploadedFile[] }> => {
    const body = new FormData();
    for (const file of files) body.append("file", file);
    const { json } = await send({
      method: "POST",
      path: fillPath("/api/uploads/:category", { category }),
      body,
      ...options,
    });
    const { data } = json as { data: UploadedFile | UploadedFile[] };
    return { data: [data].flat() };
  };
}
