import { unlink } from "node:fs/promises";
import type { Server } from "node:http";
import service, { ServiceRouter } from "@servicekit/service";
import { sameMiddlewares } from "../hand-written/same-middlewares.js";

/** A declared route that takes one file. */
export async function serveUploadsByService(folder: string): Promise<Server> {
  const router = ServiceRouter();
  router.post({ path: "/files", experimental: { uploads: { type: "single", field: "file" } } }, (request, response) => {
    const { file } = request;
    response.status(201).json({ data: { size: file?.size } });
    // Saves disk space: files are removed after they were received.
    if (file !== undefined) response.once("finish", () => void unlink(file.path));
  });
  const { server } = await service.create({
    use: [router],
    middlewares: sameMiddlewares,
    fileUpload: { baseUploadDir: folder },
  });
  return server;
}
