import type { InfiniteData, UseMutationResult, UseQueryResult } from "@tanstack/react-query";
import { describe, expectTypeOf, it } from "vitest";
import { makeClient, type Page } from "../src/index.js";
import type * as hooks from "../src/react-query/index.js";
import { makeHooks } from "../src/react-query/index.js";

interface Api {
  posts: {
    key: number;
    row: { id: number; title: string; views: string };
    create: { title: string };
    update: { title?: string };
    filters: { title: { value: string; operators: "equals" | "in" | "contains" } };
    relations: { author: { to: "users"; nullable: true } };
  };
  users: {
    key: readonly [country: string, number: number];
    row: { id: number; name: string };
    create: never;
    update: { name?: string };
    filters: { name: { value: string; operators: "equals" } };
    relations: Record<never, never>;
  };
}

const blog = makeHooks<Api>(makeClient<Api>());

describe("C74 the types of hooks", () => {
  it("follow the query", () => {
    expectTypeOf(blog).toEqualTypeOf<hooks.Hooks<Api>>();
    const list = blog.useList("posts", {
      where: { title: { contains: "a" } },
      fields: ["id"],
      include: { author: true },
    });
    type Row = { id: number; author: { id: number; name: string } | null };
    expectTypeOf(list).toEqualTypeOf<UseQueryResult<Page<Row>, Error>>();
    const one = blog.useRead("users", ["de", 1], { fields: ["name"] }, { enabled: true });
    expectTypeOf(one.data).toEqualTypeOf<{ data: { name: string } } | undefined>();
    const growing = blog.useInfiniteList("posts", { limit: 5 });
    expectTypeOf(growing.data).toEqualTypeOf<InfiniteData<Page<Api["posts"]["row"]>, string> | undefined>();
    // @ts-expect-error there is no field nme
    blog.useList("posts", { fields: ["nme"] });
    // @ts-expect-error there is no model post
    blog.useList("post");
    // @ts-expect-error a key of two fields
    blog.useRead("users", 1);
  });

  it("contain the input and output of a write", () => {
    expectTypeOf(blog.useUpdate("posts")).toEqualTypeOf<
      UseMutationResult<{ data: Api["posts"]["row"] }, Error, hooks.Change<Api, "posts">>
    >();
    expectTypeOf(blog.useCreate("posts").mutate).parameter(0).toEqualTypeOf<{ title: string }>();
    expectTypeOf(blog.useDelete("users").mutate)
      .parameter(0)
      .toEqualTypeOf<readonly [country: string, number: number]>();
    // @ts-expect-error a model without soft delete
    blog.useRestore("posts");
    blog.useCreate("posts", { call: { idempotencyKey: true }, onSuccess: ({ data }) => data.title });
    // @ts-expect-error no body makes a user
    blog.useCreate("users").mutate({ name: "Ann" });
  });

  it("exclude the options that the hooks set themselves", () => {
    expectTypeOf<hooks.ReadOptions<number>>().not.toHaveProperty("queryFn");
    expectTypeOf<hooks.GrowingOptions<number>>().not.toHaveProperty("getNextPageParam");
    expectTypeOf<hooks.ChangeOptions<number, string>>().not.toHaveProperty("mutationFn");
  });
});
