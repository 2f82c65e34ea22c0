import { type ModelsData, readModels } from "@servicekit/prisma";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type Blog, startBlog } from "./blog.js";
import { models } from "./generated/blog/models.js";
import { type Served, serveModels } from "./serve-models.js";

let blog: Blog;
let served: Served;
beforeAll(async () => {
  blog = await startBlog(inject("postgresUrl"));
  served = await serveModels(blog.client, readModels(withRequiredData(models)));
});
afterAll(async () => {
  await served?.stop();
  await blog?.close();
});

/** The schema of the blog with `data Json` in place of `data Json?`. */
function withRequiredData(data: ModelsData): ModelsData {
  return {
    ...data,
    models: data.models.map((model) => ({
      ...model,
      fields: model.fields.map((field) => {
        if (model.name !== "Post" || field.name !== "data") return field;
        const { isOptional: _, ...required } = field;
        return required;
      }),
    })),
  };
}

it("C10 finds the JSON value null of a required Json field, which a body may write", async () => {
  const written = await served.call("POST", "/posts", { title: "null", data: null });
  expect([written.status, written.body.data.data]).toEqual([201, null]);
  await served.call("POST", "/posts", { title: "one", data: 1 });
  const found = async (query: string): Promise<unknown> => {
    const { status, body } = await served.call("GET", `/posts?sort=id&${query}`);
    return status === 200 ? body.data.map(({ title }: { title: string }) => title) : body;
  };
  for (const query of [
    "data=null",
    "data__equals=null",
    "data[equals]=null",
    "or[0][data]=null",
    "data__isNull=true",
  ]) {
    expect([query, await found(query)]).toEqual([query, ["null"]]);
  }
  for (const query of ["data__not=null", "data__isNull=false", "data=1", "not[data]=null"]) {
    expect([query, await found(query)]).toEqual([query, ["one"]]);
  }
  expect(await found('data="null"')).toEqual([]);
  const changed = await served.call("PATCH", "/posts/many?data__isNull=true", { views: 7 });
  expect([changed.status, changed.body.meta]).toEqual([200, { count: 1 }]);
  expect(served.logged).toEqual([]);
});
