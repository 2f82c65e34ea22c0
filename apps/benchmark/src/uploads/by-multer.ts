import { randomBytes } from "node:crypto";
import { unlink } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import path from "node:path";
import multer from "multer";
import { makeHandWrittenApp } from "../hand-written/make-hand-written-app.js";

/** The same route with a typical multer setup: on disk, with a random name and a limit. */
export function serveUploadsByMulter(folder: string): Server {
  const app = makeHandWrittenApp();
  const storage = multer.diskStorage({
    destination: folder,
    filename: (_request, file, callback) => {
      callback(null, `${randomBytes(16).toString("hex")}${path.extname(file.originalname)}`);
    },
  });
  const upload = multer({ storage, limits: { fileSize: 1024 ** 3, files: 1 } });
  app.post("/files", upload.single("file"), (request, response) => {
    const { file } = request;
    response.status(201).json({ data: { size: file?.size } });
    if (file !== undefined) response.once("finish", () => void unlink(file.path));
  });
  return createServer(app);
}
