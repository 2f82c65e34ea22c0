import { request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const chunk = Buffer.alloc(256 * 1024, "0123456789abcdef");
const head = Buffer.from(
  '--border\r\nContent-Disposition: form-data; name="file"; filename="file.bin"\r\nContent-Type: application/octet-stream\r\n\r\n',
);
const tail = Buffer.from("\r\n--border--\r\n");

/**
 * Sends a form with one file of the given size as fast as the server reads it.
 *
 * @throws {Error} for any response except 201 with the size
 */
export async function sendFile(port: number, size: number): Promise<void> {
  const sent = request({
    port,
    host: "127.0.0.1",
    method: "POST",
    path: "/files",
    agent: false,
    headers: {
      "content-type": "multipart/form-data; boundary=border",
      "content-length": head.length + size + tail.length,
    },
  });
  const responded = new Promise<string>((resolve, reject) => {
    sent.once("error", reject);
    sent.once("response", (response) => {
      response.toArray().then((chunks) => resolve(`${response.statusCode} ${Buffer.concat(chunks)}`), reject);
    });
  });
  await Promise.all([pipeline(Readable.from(form(size), { objectMode: false }), sent), responded]);
  const reply = await responded;
  if (reply !== `201 {"data":{"size":${size}}}`) throw new Error(`The upload returned ${reply}.`);
}

function* form(size: number): Generator<Buffer> {
  yield head;
  for (let left = size; left > 0; left -= chunk.length) yield left < chunk.length ? chunk.subarray(0, left) : chunk;
  yield tail;
}
