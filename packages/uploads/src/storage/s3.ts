import { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { isHttpError } from "@servicekit/core";
import { namesOf, type OptionalPackages, whenMissing } from "@servicekit/core/internal";
import { uploadErrors } from "../errors.js";
import type { S3StorageConfig } from "../settings.js";
import type { FileStorage, NewFile } from "./file-storage.js";
import { codeOf } from "./storage-error.js";

/** The package for S3. */
export const s3Packages: OptionalPackages = {
  names: ["@aws-sdk/client-s3", "@aws-sdk/lib-storage"],
  purpose: "Storage in S3",
};

type Library = typeof import("@aws-sdk/client-s3");

/** Files in a bucket of an S3-compatible store (contract C36); the client is loaded with the first file. */
export function makeS3Storage(config: S3StorageConfig): FileStorage {
  const { bucket, prefix = "" } = config;
  let opened: Promise<{ readonly library: Library; readonly client: S3Client }> | undefined;
  const connect = () => {
    opened ??= openClient(config);
    return opened;
  };
  const at = (folder: string, name: string) => ({ Bucket: bucket, Key: `${prefix}${folder}/${name}` });
  const remove = async (place: { readonly Bucket: string; readonly Key: string }): Promise<void> => {
    const { library, client } = await connect();
    await client.send(new library.DeleteObjectCommand(place));
  };
  const head = async (folder: string, name: string) => {
    const { library, client } = await connect();
    try {
      return await client.send(new library.HeadObjectCommand(at(folder, name)));
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw toIssue(error);
    }
  };
  return {
    async create(folder, name, { mediaType, owner }) {
      const { client } = await connect();
      const place = at(folder, name);
      // Metadata is sent in headers, which accept only ASCII.
      const Metadata = owner === undefined ? {} : { owner: encodeURIComponent(owner) };
      return makeObject(client, { ...place, ContentType: mediaType, Metadata }, () => remove(place));
    },
    async ownerOf(folder, name) {
      const owner = (await head(folder, name))?.Metadata?.owner;
      return owner === undefined ? undefined : decodeURIComponent(owner);
    },
    async find(folder, name) {
      const found = await head(folder, name);
      if (found === undefined) return undefined;
      return {
        size: found.ContentLength ?? 0,
        modified: found.LastModified ?? new Date(0),
        etag: found.ETag ?? `"${name}"`,
        async open(range) {
          const { library, client } = await connect();
          const Range = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
          try {
            const { Body } = await client.send(new library.GetObjectCommand({ ...at(folder, name), ...Range }));
            return Body instanceof Readable ? Body : Readable.from([]);
          } catch (error) {
            if (isAbsent(error)) return undefined;
            throw toIssue(error);
          }
        },
      };
    },
    async remove(folder, name) {
      // The store reports a successful deletion whether or not the object existed.
      if ((await head(folder, name)) === undefined) return false;
      try {
        await remove(at(folder, name));
      } catch (error) {
        throw toIssue(error);
      }
      return true;
    },
  };
}

async function openClient({ region = "us-east-1", endpoint, credentials, forcePathStyle }: S3StorageConfig) {
  const library = namesOf(await import("@aws-sdk/client-s3").catch(whenMissing("fileUpload.storage", s3Packages)));
  // Not all other stores support the checksums that the client adds by default.
  const foreign =
    endpoint === undefined
      ? {}
      : {
          endpoint,
          requestChecksumCalculation: "WHEN_REQUIRED" as const,
          responseChecksumValidation: "WHEN_REQUIRED" as const,
        };
  const client = new library.S3Client({
    region,
    forcePathStyle: forcePathStyle ?? endpoint !== undefined,
    requestHandler: { connectionTimeout: 3000, requestTimeout: 30_000 },
    ...(credentials === undefined ? {} : { credentials: { ...credentials } }),
    ...foreign,
  });
  return { library, client };
}

interface ObjectPlace {
  readonly Bucket: string;
  readonly Key: string;
  readonly ContentType: string;
  readonly Metadata: Record<string, string>;
}

function makeObject(client: S3Client, place: ObjectPlace, remove: () => Promise<void>): NewFile {
  let upload: { abort(): Promise<void>; done(): Promise<unknown> } | undefined;
  let finished: Promise<unknown> = Promise.resolve();
  return {
    destination: place.Key.slice(0, place.Key.lastIndexOf("/")),
    path: place.Key,
    async write(source) {
      try {
        const { Upload } = namesOf(
          await import("@aws-sdk/lib-storage").catch(whenMissing("fileUpload.storage", s3Packages)),
        );
        upload = new Upload({ client, params: { ...place, Body: source }, queueSize: 2 });
        const done = upload.done();
        finished = done.catch(() => undefined);
        await done;
      } catch (error) {
        source.destroy();
        throw toIssue(error);
      }
    },
    // A name of 128 random bits is unknown before the response contains it.
    commit: async () => undefined,
    async discard() {
      if (upload === undefined) return;
      await upload.abort().catch(() => undefined);
      await finished;
      await remove();
      upload = undefined;
    },
  };
}

function statusOf(error: unknown): number | undefined {
  const metadata = (error as { $metadata?: { httpStatusCode?: number } } | undefined)?.$metadata;
  return metadata?.httpStatusCode;
}

function isAbsent(error: unknown): boolean {
  const name = error instanceof Error ? error.name : "";
  return name === "NotFound" || name === "NoSuchKey" || (statusOf(error) === 404 && name !== "NoSuchBucket");
}

const connection: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "ETIMEDOUT",
  "EPIPE",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EMFILE",
  "ECONNABORTED",
  "ENETDOWN",
]);

/** Temporary errors are 503, including invalid responses; a wrong configuration stays a 500 for the log. */
function toIssue(error: unknown): unknown {
  if (isHttpError(error)) return error;
  const status = statusOf(error) ?? 0;
  const name = error instanceof Error ? error.name : "";
  const code = codeOf(error);
  const isCut = name === "TimeoutError" || connection.has(code) || String(code).startsWith("HPE_");
  if (isCut || status === 429 || status >= 500 || (status >= 200 && status < 300)) {
    return uploadErrors.StorageUnavailable(undefined, { cause: error, headers: { "Retry-After": "1" } });
  }
  return error;
}
