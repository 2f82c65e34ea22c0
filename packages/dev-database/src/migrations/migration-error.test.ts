import { expect, it } from "vitest";
import { toMigrationError } from "./migration-error.js";

const withCode = (error: Error, code: string): Error => Object.assign(error, { code });

it.each([
  [
    withCode(new Error("connect ECONNREFUSED 127.0.0.1:1"), "ECONNREFUSED"),
    "The database cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Start it, or correct the database URL.",
  ],
  [
    withCode(
      new AggregateError([new Error("connect ECONNREFUSED ::1:1"), new Error("connect ECONNREFUSED 127.0.0.1:1")]),
      "ECONNREFUSED",
    ),
    "The database cannot be reached: connect ECONNREFUSED ::1:1, connect ECONNREFUSED 127.0.0.1:1. Start it, or correct the database URL.",
  ],
  [
    withCode(new Error('password authentication failed for user "me"'), "28P01"),
    'The database rejects the connection: password authentication failed for user "me". Correct the user or the password of the database URL.',
  ],
  [
    withCode(new Error('database "blog" does not exist'), "3D000"),
    'The database rejects the connection: database "blog" does not exist. Create it, or correct the name in the database URL.',
  ],
  [
    withCode(new Error("RSA public key is not available client side"), "45044"),
    "The database rejects the connection: RSA public key is not available client side. Use TLS (sslaccept=strict), or add allowPublicKeyRetrieval=true to the database URL where the network is trusted.",
  ],
])("reports what to do about an error of the connection: %s", (error, message) => {
  expect(toMigrationError(error).message).toBe(message);
});

it("does not change the message of any other error", () => {
  expect(toMigrationError(withCode(new Error('relation "Post" does not exist'), "42P01")).message).toBe(
    'relation "Post" does not exist',
  );
});
