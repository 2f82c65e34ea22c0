import { fillPath } from "../path.js";
import type { CallOptions, Send } from "./send.js";

/** A stored file (contract C34). */
export interface UploadedFile {
  /** The name under which it is stored. */
  readonly name: string;
  /** The original name, sanitized. */
  readonly originalName: string;
  readonly category: string;
  readonly mimeType: string;
  /** Size in bytes. */
  readonly size: number;
  /** The path of the file. */
  readonly pathname: string;
  readonly url: string;
}

/** Uploads files to a category of the file router. For progress, see `@servicekit/client/progress`. */
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
