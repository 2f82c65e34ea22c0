import { isHiddenAt, metaOf, type Schema, unfold } from "@servicekit/core/schema";
import { describe, expect, it } from "vitest";
import { initSchema } from "../src/config/config-schema.js";

/** What the last part of a key with a secret could contain. */
const looksSecret =
  /secret|pass(word|phrase)?$|token|credential|(api|access|private|encryption|signing)key|^urls?$|replicas|cookieparser/i;

/** Keys that only look like secrets. */
const harmless = new Set([
  "authentication.login.sendAccessTokenThrough",
  "webhooks.endpoints.url",
  "apidocs.options.definition.servers.url",
]);

/** The key of a value, and whether a schema on its path is marked as secret. */
type Place = readonly [key: string, isMarked: boolean];

function placesOf(schema: Schema, key: string, isOuterMarked: boolean): readonly Place[] {
  const here = unfold(schema);
  const isMarked = isOuterMarked || here.some((one) => metaOf(one).secret !== false);
  const inside = here.flatMap(({ _zod: { def } }): readonly Place[] => {
    if (def.type === "record") return placesOf(def.valueType, key, isMarked);
    if (def.type === "array") return placesOf(def.element, key, isMarked);
    if (def.type !== "object") return [];
    return Object.entries(def.shape).flatMap(([name, child]) =>
      placesOf(child, key === "" ? name : `${key}.${name}`, isMarked),
    );
  });
  return inside.length === 0 ? [[key, isMarked]] : inside;
}

const places = placesOf(initSchema, "", false);

describe("C73 the schema of the configuration", () => {
  it("marks each value whose key has the name of a secret", () => {
    const named = places.filter(([key]) => looksSecret.test(key.split(".").at(-1) ?? "") && !harmless.has(key));
    expect(named.filter(([, isMarked]) => !isMarked)).toEqual([]);
    expect(new Set(named.map(([key]) => key))).toEqual(
      new Set([
        "authentication.jwt.secret",
        "cookieParserParameters",
        "database.replicas",
        "email.auth.pass",
        "fileUpload.storage.credentials.accessKeyId",
        "fileUpload.storage.credentials.secretAccessKey",
        "fileUpload.storage.credentials.sessionToken",
        "middlewares.cookieParser",
        "redis.url",
        "webhooks.encryptionKey",
        "webhooks.endpoints.secret",
      ]),
    );
  });

  it.each([
    "authentication.jwt.secret",
    "email.auth.pass",
    "webhooks.encryptionKey",
    "fileUpload.storage.credentials.accessKeyId",
    "middlewares.cookieParser",
    "apidocs.options.initOAuth.clientSecret",
  ])("hides %s, also where it leaves the value open", (key) =>
    expect(isHiddenAt(initSchema, key.split("."))).toBe(true),
  );

  it.each(["redis.url", "database.replicas", "authentication.password.cost", "limits.terms", "DATABASE_URL"])(
    "does not hide %s, of which a password is hidden",
    (key) => expect(isHiddenAt(initSchema, key.split("."))).toBe(false),
  );
});
