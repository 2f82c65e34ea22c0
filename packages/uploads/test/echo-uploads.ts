import { ServiceRouter, type UploadsConfig } from "@servicekit/router";
import type { RequestHandler } from "express";
import type { z } from "zod";
import type { FileUploadConfig } from "../src/index.js";
import { type Served, serve } from "./serve.js";

const echo: RequestHandler = (request, response) => {
  const { body, file, files } = request;
  response.json({ body, file, files });
};

interface Route {
  readonly uploads: UploadsConfig;
  readonly body?: z.ZodType;
  readonly handler?: RequestHandler;
  readonly config?: FileUploadConfig;
  readonly directory?: string;
}

/** A service with one route at `/a` that accepts uploads and returns what its handler gets. */
export const start = ({ uploads, body, handler = echo, config, directory }: Route): Promise<Served> =>
  serve({
    ...(config === undefined ? {} : { config }),
    ...(directory === undefined ? {} : { directory }),
    mount: (app) =>
      app.use(
        ServiceRouter().post(
          { path: "/a", experimental: { uploads }, ...(body === undefined ? {} : { validation: { body } }) },
          handler,
        ),
      ),
  });
