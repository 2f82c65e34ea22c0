import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningService, type ServiceInitConfig, ServiceRouter, type UploadsConfig } from "@servicekit/service";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { uploadsBelow } from "../../../../packages/uploads/test/serve.js";

/** A running service with a separate working directory. */
export interface ServedUploads {
  readonly service: RunningService;
  readonly url: string;
  readonly port: number;
  readonly directory: string;
  /** Every file below the working directory, including partial uploads, as relative paths; without the owner files. */
  files(): string[];
}

/** Starts services whose uploads go into separate folders; `closeAll` stops them and deletes the folders. */
export function makeUploadStarter() {
  const starter = makeStarter();
  const folders: string[] = [];
  return {
    ...starter,
    async serve(config: ServiceInitConfig = {}): Promise<ServedUploads> {
      const directory = mkdtempSync(join(tmpdir(), "service-uploads-"));
      folders.push(directory);
      const quiet = { middlewares: { rateLimit: { limit: 1_000_000 } }, ...config };
      const service = await starter.init(quiet as ServiceInitConfig, { directory });
      return {
        service,
        url: service.url,
        port: Number(new URL(service.url).port),
        directory,
        files: () => uploadsBelow(directory).map((file) => file.slice(directory.length + 1)),
      };
    },
    async closeAll(): Promise<void> {
      await starter.closeAll();
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
export type Answered = { readonly status: number; readonly headers: Headers; readonly body: any };

/** Sends a request and reads its JSON. */
export async function send(url: string, init: RequestInit = {}): Promise<Answered> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

export const post = (url: string, body: FormData, headers: Record<string, string> = {}): Promise<Answered> =>
  send(url, { method: "POST", body, headers });

/** A route that returns what its handler gets. */
export function route(uploads: UploadsConfig, more: object = {}) {
  const router = ServiceRouter();
  router.post({ path: "/api/things", experimental: { uploads }, ...more }, (request, response) => {
    const { file, files } = request;
    response.status(201).json({ data: { body: request.body ?? null, file: file ?? null, files: files ?? null } });
  });
  return { use: [router] };
}
