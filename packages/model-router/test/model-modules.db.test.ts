import { ServiceRouter } from "@servicekit/router";
import express from "express";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Blog, startBlog, withPost } from "./blog.js";

let blog: Blog;
beforeAll(async () => {
  blog = await startBlog(inject("postgresUrl"));
});
afterAll(async () => {
  expect(blog?.logged).toEqual([]);
  await blog?.close();
});
describe("C8, C44 the limits of a model", () => {
  it("its own include limits apply from this model on, those of the settings from the others", async () => {
    const post = await blog.client.post.create({
      data: { title: "a", comments: { create: [{ text: "x" }, { text: "y" }, { text: "z" }] } },
    });
    await withPost(blog, { include: { depth: 1, rows: 2 } }, async ({ call }) => {
      const { body } = await call("GET", `/posts/${post.id}?include=comments`);
      expect(body.data.comments).toHaveLength(2);
      expect((await call("GET", "/posts?include=comments.post")).status).toBe(400);
      const [comment] = (await call("GET", "/comments?include=post.comments")).body.data;
      expect(comment.post.comments).toHaveLength(3);
    });
  });
});

describe("C44 the uploads of a model", () => {
  it("are part of the declarations of the routes with a body for one row", async () => {
    const uploads = { createOne: { type: "single", field: "title" } } as const;
    await expect(withPost(blog, { uploads }, async () => {})).rejects.toMatchObject({
      issues: [
        {
          where: "POST /posts (the generated route createOne of the model Post)",
          message:
            'experimental.uploads is declared, but this application has no step for it. Mount the router in a service, or pass a step for "experimental.uploads" to mountRoutes.',
        },
      ],
    });
  });

  it("are checked where they are configured, and name fields of the model", async () => {
    const createOne = { type: "fields", fields: [{ name: "titel" }, { name: "author[photo]" }] } as const;
    // A compile error otherwise.
    const updateOne = { type: "array" } as never;
    await expect(withPost(blog, { uploads: { createOne, updateOne } }, async () => {})).rejects.toMatchObject({
      issues: [
        { where: "models.Post.uploads.updateOne.field", message: "is missing. Type array requires it." },
        { where: "models.Post.uploads.createOne", message: "Unknown field titel. Did you mean title?" },
      ],
    });
    const detached = { createOne: { type: "single", field: "scan", attachToBody: false } } as const;
    await expect(withPost(blog, { uploads: detached }, async () => {})).rejects.toMatchObject({
      issues: [{ message: expect.stringContaining("no step for it") }],
    });
  });
});

describe("C44 the router of a module", () => {
  it("is mounted at the model's path, before the generated routes", async () => {
    const router = ServiceRouter();
    router.get({ path: "/newest" }, (_request, response) => {
      response.json({ newest: true });
    });
    router.post({ path: "/:id/publish" }, (request, response) => {
      response.json({ published: request.params.id });
    });
    await withPost(blog, { router }, async ({ call }) => {
      expect((await call("GET", "/posts/newest")).body).toEqual({ newest: true });
      expect((await call("POST", "/posts/7/publish")).body).toEqual({ published: "7" });
      expect((await call("GET", "/posts")).status).toBe(200);
      expect((await call("GET", "/posts/7")).status).toBe(404);
      expect((await call("PUT", "/posts/newest")).status).toBe(405);
    });
    const plain = express.Router().get("/plain", (_request, response) => {
      response.json({ plain: true });
    });
    await withPost(blog, { router: plain }, async ({ call }) => {
      expect((await call("GET", "/posts/plain")).body).toEqual({ plain: true });
    });
  });

  it("C54 a declared route equal to a generated one prevents startup, and the error names both", async () => {
    const router = ServiceRouter();
    router.get({ path: "/:slug" }, (_request, response) => {
      response.end();
    });
    await expect(withPost(blog, { router }, async () => {})).rejects.toMatchObject({
      issues: [
        {
          where: expect.stringContaining("GET /api/posts/:id (the generated route findOne of the model Post)"),
          message: expect.stringContaining("model-modules.db.test.ts"),
        },
      ],
    });
  });
});
