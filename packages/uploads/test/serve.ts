import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  makeApp,
  makeBodyParserStep,
  makeCompressionStep,
  makeQueryParserStep,
  makeServer,
  makeValidationStep,
  mountRoutes,
  type RouteStep,
} from "@servicekit/router";
import type { Express, RequestHandler } from "express";
import { afterAll, expect } from "vitest";
import { type FileUploadConfig, makeUploads, readUploadSettings, type UploadsOptions } from "../src/index.js";

/** A running service with uploads only. */
export interface Served {
  readonly app: Express;
  readonly origin: string;
  readonly port: number;
  /** The working directory; files are in `uploads` below it. */
  readonly directory: string;
  /** The logged server errors. */
  readonly logged: unknown[];
  /** Every file below the upload directory, including temporary ones. */
  files(): string[];
}

export interface Wiring extends Partial<Omit<UploadsOptions, "settings">> {
  readonly config?: FileUploadConfig;
  readonly mount?: (app: Express) => void;
  readonly directory?: string;
  readonly publicUrl?: string;
  readonly steps?: readonly RouteStep[];
  /** Precedes everything else. */
  readonly early?: RequestHandler;
}

const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers.splice(0)) close();
});

export function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "uploads-"));
  closers.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** An application assembled like the umbrella, listening on a free port. */
export async function serve(wiring: Wiring = {}): Promise<Served> {
  const {
    config,
    mount,
    directory = makeDirectory(),
    publicUrl = "https://files.example.com",
    early,
    ...options
  } = wiring;
  const settings = readUploadSettings(config, { directory, publicUrl });
  const uploads = makeUploads({ settings, ...options });
  const logged: unknown[] = [];
  const app = makeApp();
  if (early !== undefined) app.use(early);
  mountRoutes(app, {
    global: [makeCompressionStep(), makeBodyParserStep(), makeQueryParserStep()],
    route: [...(wiring.steps ?? []), uploads.step, makeValidationStep()],
    mount: () => {
      app.use(uploads.router);
      mount?.(app);
    },
    log: (error) => logged.push(error),
  });
  const server: Server = makeServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    app,
    origin: `http://127.0.0.1:${port}`,
    port,
    directory,
    logged,
    files: () => filesBelow(settings.baseUploadDir),
  };
}

export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The same without the files that record the uploader. */
export function uploadsBelow(folder: string): string[] {
  return filesBelow(folder).filter((file) => !file.endsWith(".owner"));
}

/** Waits until a condition is met. */
export function until(holds: () => boolean, what: string, seconds = 60): Promise<void> {
  return expect.poll(holds, { message: what, timeout: seconds * 1_000 }).toBe(true);
}
