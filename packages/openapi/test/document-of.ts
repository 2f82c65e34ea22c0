import SwaggerParser from "@apidevtools/swagger-parser";
import { Validator } from "@seriousme/openapi-schema-validator";
import { makeRouteTable, ServiceRouter } from "@servicekit/router";
import express from "express";
import { expect } from "vitest";
import { makeDocument } from "../src/index.js";

// biome-ignore lint/suspicious/noExplicitAny: a document is read at any depth
export type Loose = any;
type Operations = Record<string, Record<string, Loose>>;

/** The document of the routes below `/api`, and its warnings. */
export async function documentOf(declare: (router: ServiceRouter) => void, isAuthenticated = false) {
  const app = express();
  const router = ServiceRouter();
  declare(router);
  app.use("/api", router);
  const warnings: string[] = [];
  const document = await makeDocument({
    table: makeRouteTable(app.router),
    settings: { mode: "prisma", options: { definition: { info: { title: "Test", version: "2.0.0" } } } },
    serverUrl: "http://localhost:8000",
    surrounding: { isLimited: () => true, isAuthenticated, hasTimeLimit: true },
    warn: (message) => warnings.push(message),
  });
  return {
    document,
    warnings,
    paths: document.paths as Operations,
    schemas: (document as Loose).components.schemas as Record<string, Loose>,
  };
}

/** Two independent validators. */
export async function expectValid(document: object): Promise<void> {
  const copy = () => JSON.parse(JSON.stringify(document));
  const result = await new Validator().validate(copy());
  expect(result.errors ?? []).toEqual([]);
  await SwaggerParser.validate(copy());
}

/** A handler without documentation. */
export const response = (_request: unknown, response: { end(): void }): void => response.end();
