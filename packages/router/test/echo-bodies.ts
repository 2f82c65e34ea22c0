import type express from "express";
import type { RequestHandler } from "express";
import request from "supertest";
import { type BodyParserConfig, makeBodyParserStep, makeQueryParserStep, ServiceRouter } from "../src/index.js";
import { serve } from "./serve.js";

/** Returns the body and its type. */
export const echo: RequestHandler = (request, response) => {
  const { body } = request;
  response.json({
    kind: Buffer.isBuffer(body) ? "buffer" : typeof body,
    body: Buffer.isBuffer(body) ? body.toString("hex") : body,
  });
};

/** An application with one route at `/a` that echoes its body. */
export const served = (bodyParser?: BodyParserConfig, settings?: Parameters<typeof makeBodyParserStep>[0]) =>
  serve(
    (app) => app.use(ServiceRouter().post({ path: "/a", ...(bodyParser === undefined ? {} : { bodyParser }) }, echo)),
    { global: [makeBodyParserStep(settings), makeQueryParserStep()] },
  );

/** Posts to `/a`, as JSON by default. */
export async function post(app: express.Express, body: string | Buffer, headers: Record<string, string> = {}) {
  const sent = request(app)
    .post("/a")
    .set({ "content-type": "application/json", ...headers });
  // A raw write prevents supertest from serializing the body itself.
  sent.write(body as string);
  return new Promise<request.Response>((resolve, reject) =>
    sent.end((error, reply) => (error ? reject(error) : resolve(reply))),
  );
}
