import { describe, expectTypeOf, it } from "vitest";
import type * as client from "../src/index.js";
import { isApiError, makeClient } from "../src/index.js";

interface Api {
  posts: {
    key: number;
    row: { id: number; title: string; views: string };
    create: { title: string };
    update: { title?: string };
    filters: {
      title: { value: string; operators: "equals" | "in" | "contains" };
      views: { value: string | number; operators: "equals" | "in" | "lt" | "isNull" };
      tags: { value: string; operators: "has" | "equals" | "isEmpty"; unsorted: true };
    };
    relations: { author: { to: "users"; nullable: true }; comments: { to: "comments"; list: true } };
  };
  users: {
    key: number;
    row: { id: number; name: string };
    create: never;
    update: never;
    filters: { name: { value: string; operators: "equals" } };
    relations: Record<never, never>;
  };
  comments: {
    key: readonly [postId: number, line: number];
    row: { postId: number; line: number; text: string };
    create: { text: string };
    update: { text?: string };
    filters: { text: { value: string; operators: "equals" } };
    relations: { post: { to: "posts" } };
  };
}
interface Routes {
  "GET /api/ping": { response: { pong: true } };
  "POST /api/posts/:id/lines/:line": { response: null; body: { text: string } };
}

describe("C111 the types of events", () => {
  const api = makeClient<Api>();

  it("C111 have the selected fields of created and updated rows, and no data of ready and reset", () => {
    const events = api.posts.subscribe({ where: { title: "a" }, fields: ["id", "title"] });
    type Event = typeof events extends AsyncGenerator<infer One> ? One : never;
    type Changed = Extract<Event, { readonly type: "created" | "updated" }>;
    expectTypeOf<Changed["data"]>().toEqualTypeOf<Pick<Api["posts"]["row"], "id" | "title">>();
    expectTypeOf<Event["type"]>().toEqualTypeOf<"ready" | "reset" | "created" | "updated" | "removed">();
    expectTypeOf<Event>().toEqualTypeOf<client.ResourceEvent<Api, "posts", ("id" | "title")[]>>();
    expectTypeOf<client.EventRow<Api, "posts", readonly ["id"]>>().toEqualTypeOf<{ id: number }>();
    expectTypeOf<client.EventRow<Api, "posts", undefined>>().toEqualTypeOf<Partial<Api["posts"]["row"]>>();
    expectTypeOf<client.EventsQuery<Api, "posts">["where"]>().toEqualTypeOf<client.Where<Api, "posts"> | undefined>();
    // @ts-expect-error: the model has no such field
    api.posts.subscribe({ fields: ["nothing"] });
    // @ts-expect-error: a list of events has no order
    api.posts.subscribe({ sort: ["id"] });
  });
});

describe("C102 the types of computed fields", () => {
  type Full = client.WithComputed<Api, { users: { fullName: string; isAdult: boolean | null } }>;
  const full = makeClient<Full>();

  it("are part of rows, at any depth, and of fields", () => {
    expectTypeOf<client.Row<Full, "users">>().toEqualTypeOf<{
      id: number;
      name: string;
      fullName: string;
      isAdult: boolean | null;
    }>();
    expectTypeOf<client.Row<Full, "users", readonly ["fullName"]>>().toEqualTypeOf<{ fullName: string }>();
    const read = () => full.posts.read(1, { include: { author: true } });
    expectTypeOf<NonNullable<Awaited<ReturnType<typeof read>>["data"]["author"]>["fullName"]>().toEqualTypeOf<string>();
    expectTypeOf<client.FieldName<Full, "posts">>().toEqualTypeOf<"id" | "title" | "views">();
  });

  it("are in no filter, order or signed-in user", () => {
    // @ts-expect-error not a filter
    full.users.list({ where: { fullName: "x" } });
    // @ts-expect-error not an order
    full.users.list({ sort: ["fullName"] });
    expectTypeOf<client.UserOf<Full>>().toEqualTypeOf<{ id: number; name: string }>();
  });

  it("are in filters and orders if they have SQL", () => {
    type Queryable = client.WithComputed<
      Api,
      { users: { fullName: string; age: number | null; isAdult: boolean } },
      { users: "fullName" | "age" }
    >;
    const { users, posts } = makeClient<Queryable>();
    users.list({ where: { fullName: { icontains: "x" }, age: { gt: 18, isNull: false } }, sort: ["-age", "name"] });
    posts.list({ where: { author: { fullName: "x" } }, sort: ["author.age"] });
    // @ts-expect-error a number
    users.list({ where: { age: "x" } });
    // @ts-expect-error no text
    users.list({ where: { age: { contains: "x" } } });
    // @ts-expect-error a text is never null
    users.list({ where: { fullName: null } });
    // @ts-expect-error without SQL
    users.list({ sort: ["isAdult"] });
    // @ts-expect-error unknown field
    expectTypeOf<client.WithComputed<Api, { users: { age: number } }, { users: "agee" }>>().toBeObject();
  });

  it("come from the configuration of a model", () => {
    interface Config {
      readonly hidden?: readonly string[];
      readonly computed?: {
        readonly fullName: { readonly type: { readonly _zod: { readonly output: string } } };
        readonly ofClient: object;
      };
    }
    expectTypeOf<client.ComputedOf<Config>>().toEqualTypeOf<{
      readonly fullName: string;
      readonly ofClient: unknown;
    }>();
    expectTypeOf<{ users: { fullName: string } }>().toExtend<client.ComputedShape<Api>>();
    // @ts-expect-error unknown resource
    expectTypeOf<client.WithComputed<Api, { user: { fullName: string } }>>().toBeObject();
  });
});

describe("C74 the types of queries", () => {
  it("contain the fields and relations of the model", () => {
    expectTypeOf<client.FieldName<Api, "posts">>().toEqualTypeOf<"id" | "title" | "views">();
    expectTypeOf<readonly ["-title", "-views"]>().toExtend<client.Fields<Api, "posts">>();
    expectTypeOf<readonly ["-title", "views"]>().not.toExtend<client.Fields<Api, "posts">>();
    expectTypeOf<{ comments: { post: { author: true } } }>().toExtend<client.Include<Api, "posts">>();
    expectTypeOf<{ comments: { author: true } }>().not.toExtend<client.Include<Api, "posts">>();
    expectTypeOf<client.SortKey<Api, "comments">>().toEqualTypeOf<
      | ("text" | "-text" | "post.title" | "-post.title" | "post.views" | "-post.views")
      | ("post.author.name" | "-post.author.name")
    >();
    expectTypeOf<{ include: { comments: true } }>().toExtend<
      client.Shape<Api, "posts", undefined, { comments: true }>
    >();
  });

  it("contain the filters of the model", () => {
    expectTypeOf<client.Condition<{ value: number; operators: "equals" | "isNull" }>>().toEqualTypeOf<null | {
      readonly equals?: number | null;
      readonly isNull?: boolean;
    }>();
    expectTypeOf<{ views: null; author: null; tags: { has: string } }>().toExtend<client.Where<Api, "posts">>();
    expectTypeOf<{ title: null }>().not.toExtend<client.Where<Api, "posts">>();
    expectTypeOf<{ sort: ["-views"]; limit: 3 }>().toExtend<client.Selection<Api, "posts">>();
    expectTypeOf<{ page: 2; count: false }>().toExtend<client.ListQuery<Api, "posts", undefined, undefined>>();
  });

  it("C125 contain the ways to count rows, of which the page reports the one that was used", () => {
    type Query = client.ListQuery<Api, "posts", undefined, undefined>;
    expectTypeOf<Query["count"]>().toEqualTypeOf<boolean | "exact" | "estimated" | "limited" | undefined>();
    expectTypeOf<{ count: "about" }>().not.toExtend<Query>();
    expectTypeOf<{ count: 5 }>().not.toExtend<Query>();
    // An export has no total.
    expectTypeOf<client.ExportQuery<Api, "posts">>().not.toHaveProperty("count");
    expectTypeOf<Pick<client.PageMeta, "total" | "estimated" | "limited">>().toEqualTypeOf<{
      readonly total?: number;
      readonly estimated?: true;
      readonly limited?: true;
    }>();
  });
});

interface Shop {
  orders: {
    key: number;
    row: {
      id: number;
      status: "PAID" | "SENT";
      total: string;
      weight: number | null;
      placedAt: string;
      sentAt: string | null;
    };
    create: never;
    update: never;
    filters: {
      id: { value: number; operators: "equals"; sum: string };
      status: { value: "PAID" | "SENT"; operators: "equals" };
      total: { value: string | number; operators: "equals"; sum: string };
      weight: { value: number; operators: "equals"; sum: number };
      placedAt: { value: string; operators: "equals" | "gte"; periods: true };
      sentAt: { value: string; operators: "equals"; periods: true };
      isGift: { value: boolean; operators: "equals"; unranked: true };
      tags: { value: string; operators: "has"; unsorted: true };
    };
    relations: { customer: { to: "customers" }; items: { to: "items"; list: true } };
  };
  customers: {
    key: number;
    row: { name: string };
    create: never;
    update: never;
    filters: { name: { value: string; operators: "equals" } };
    relations: { orders: { to: "orders"; list: true } };
  };
  items: {
    key: number;
    row: { id: number };
    create: never;
    update: never;
    filters: { id: { value: number; operators: "equals"; sum: string } };
    relations: { order: { to: "orders" } };
  };
}

describe("C98 the types of aggregates", () => {
  const shop = makeClient<Shop>();

  it("contain the groups and measures of the query", () => {
    const query = () =>
      shop.orders.aggregate({
        groupBy: ["status", "placedAt:month", "sentAt:day", "customer.name"],
        count: true,
        sum: ["total", "weight"],
        min: ["status"],
        countDistinct: ["isGift"],
        having: { count: { gt: 5 }, "sum.total": { gte: "100" }, "max.status": { in: ["PAID"] } },
        sort: ["-sum.total", "customer.name"],
        where: { placedAt: { gte: "2025-01-01" } },
        timeZone: "Europe/Zurich",
      });
    expectTypeOf<Awaited<ReturnType<typeof query>>["data"][number]>().toEqualTypeOf<{
      group: {
        status: "PAID" | "SENT";
        "placedAt:month": string;
        "sentAt:day": string | null;
        "customer.name": string | null;
      };
      count: number;
      sum: { total: string | null; weight: number | null };
      min: { status: "PAID" | "SENT" | null };
      countDistinct: { isGift: number };
    }>();
    expectTypeOf<client.AggregateRow<Shop, "orders", { count: true }>>().toEqualTypeOf<{ count: number }>();
    expectTypeOf<client.AggregatePage<{ count: number }>["data"]>().toEqualTypeOf<{ count: number }[]>();
    expectTypeOf<"order.customer.name">().toExtend<client.GroupKey<Shop, "items">>();
    expectTypeOf<"order.placedAt:year">().toExtend<client.GroupKey<Shop, "items">>();
    expectTypeOf<{ sum: ["total"] }>().toExtend<client.AggregateQuery<Shop, "orders">>();
    expectTypeOf<client.MeasureName<Shop, "items">>().toEqualTypeOf<
      "count" | "sum.id" | "avg.id" | "min.id" | "max.id" | "countDistinct.id"
    >();
  });

  it("reject what the service rejects", () => {
    // @ts-expect-error not a number
    void (() => shop.orders.aggregate({ sum: ["status"] }));
    // @ts-expect-error without a minimum
    void (() => shop.orders.aggregate({ min: ["isGift"] }));
    // @ts-expect-error not a date
    void (() => shop.orders.aggregate({ groupBy: ["status:month"] }));
    // @ts-expect-error a list
    void (() => shop.orders.aggregate({ groupBy: ["tags"] }));
    // @ts-expect-error a to-many relation
    void (() => shop.orders.aggregate({ groupBy: ["items.id"] }));
    // @ts-expect-error an unknown key
    void (() => shop.orders.aggregate({ count: true, fields: ["id"] }));
    // @ts-expect-error an unknown field in a filter
    void (() => shop.orders.aggregate({ count: true, where: { statu: "PAID" } }));
    // @ts-expect-error a measure without its field
    void (() => shop.orders.aggregate({ count: true, having: { sum: { gt: 5 } } }));
  });
});

interface Trash {
  orders: Omit<Shop["customers"], "row"> & { row: { name: string; deletedAt: string | null } };
  items: Shop["items"] & { softDelete: true };
  customers: Shop["customers"];
}

describe("C101 the types of soft delete", () => {
  const api = makeClient<Trash>();

  it("are those of models with the date, or that are named", () => {
    expectTypeOf<client.HasSoftDelete<Trash, "orders">>().toEqualTypeOf<true>();
    expectTypeOf<client.HasSoftDelete<Trash, "items">>().toEqualTypeOf<true>();
    expectTypeOf<client.HasSoftDelete<Trash, "customers">>().toEqualTypeOf<false>();
    expectTypeOf<{ deleted: "only" }>().toExtend<client.DeletedRows<Trash, "orders">>();
    expectTypeOf<{ permanent: true }>().toExtend<client.PermanentOption<Trash, "orders">>();
    expectTypeOf(api.orders.restore).returns.resolves.toEqualTypeOf<{ data: Trash["orders"]["row"] }>();
    void (() => api.orders.list({ deleted: "only", where: { name: { equals: "x" } } }));
    void (() => api.items.pages({ deleted: "include" }));
    void (() => api.orders.read(1, { deleted: "only", fields: ["name"] }));
    void (() => api.orders.aggregate({ deleted: "include", count: true }));
    void (() => api.items.delete(1, { permanent: true, ifMatch: false }));
    void (() => api.orders.deleteMany({ where: { name: { equals: "x" } }, deleted: "only" }, { permanent: true }));
  });

  it("do not exist on other models", () => {
    // @ts-expect-error a model without soft delete
    void (() => api.customers.restore(1));
    // @ts-expect-error a model without soft delete
    void (() => api.customers.list({ deleted: "only" }));
    // @ts-expect-error a model without soft delete
    void (() => api.customers.delete(1, { permanent: true }));
    // @ts-expect-error another value
    void (() => api.orders.list({ deleted: "yes" }));
  });
});

describe("C107 the types of histories", () => {
  const shop = makeClient<Shop>();

  it("contain the fields of the model", () => {
    const query = () => shop.orders.history(1, { page: 2, limit: 10 });
    expectTypeOf<Awaited<ReturnType<typeof query>>>().toEqualTypeOf<client.HistoryPage<Shop, "orders">>();
    type Entry = client.HistoryEntry<Shop, "orders">;
    expectTypeOf<Entry["after"]>().toEqualTypeOf<Partial<Shop["orders"]["row"]> | null>();
    expectTypeOf<"status">().toExtend<Entry["changed"][number]>();
    expectTypeOf<{ page: number }>().toExtend<client.HistoryQuery>();
    const restore = () => shop.orders.restoreState(1, "42", { ifMatch: false });
    expectTypeOf<Awaited<ReturnType<typeof restore>>["meta"]>().toEqualTypeOf<client.RestoredMeta<Shop, "orders">>();
  });

  it("reject what the service rejects", () => {
    // @ts-expect-error an unknown parameter
    void (() => shop.orders.history(1, { sort: ["id"] }));
    // @ts-expect-error not the key of an order
    void (() => shop.orders.history({ id: 1 }));
    // @ts-expect-error a number
    void (() => shop.orders.restoreState(1, 42));
  });
});

describe("C74 the types of responses", () => {
  it("follow the query", () => {
    expectTypeOf<client.Row<Api, "posts">>().toEqualTypeOf<Api["posts"]["row"]>();
    expectTypeOf<client.Row<Api, "posts", ["id"], { author: true; comments: { post: true } }>>().toEqualTypeOf<{
      id: number;
      author: { id: number; name: string } | null;
      comments: { postId: number; line: number; text: string; post: Api["posts"]["row"] }[];
    }>();
    expectTypeOf<client.Page<{ id: number }>["data"]>().toEqualTypeOf<{ id: number }[]>();
  });

  it("are those of the user model after a sign-in", () => {
    expectTypeOf<client.UserOf<Api>>().toEqualTypeOf<{ id: number; name: string }>();
    expectTypeOf<client.UserOf<unknown>>().toEqualTypeOf<unknown>();
    expectTypeOf<client.SignedIn<{ id: number }>["data"]>().toEqualTypeOf<{ id: number }>();
    expectTypeOf<client.Client<Api>["auth"]>().toEqualTypeOf<client.AuthClient<Api["users"]["row"]>>();
  });

  it("narrow errors by their code", () => {
    const error: unknown = undefined;
    if (isApiError(error, "NotFound")) expectTypeOf(error).toEqualTypeOf<client.ApiError<"NotFound">>();
  });
});

describe("C74 a client", () => {
  const made = makeClient<Api, Routes>();
  it("has each model and each declared route", () => {
    expectTypeOf(made).toEqualTypeOf<client.Client<Api, Routes>>();
    expectTypeOf(made).toExtend<client.ServiceClient<Api, Routes>>();
    expectTypeOf(made.comments).toEqualTypeOf<client.ResourceClient<Api, "comments">>();
    expectTypeOf<client.ApiShape<Api>["posts"]>().toEqualTypeOf<client.ResourceApi>();
    expectTypeOf<client.RoutesShape<Routes>["GET /api/ping"]>().toEqualTypeOf<client.RouteApi>();
    void made.comments.delete([1, 2]);
    // @ts-expect-error no body makes a user
    void made.users.create({ name: "Ann" });
  });

  it("rejects a misspelt filter, also beside other keys of the query", () => {
    void made.posts.list({ where: { title: { contains: "x" }, views: { lt: 3 } }, limit: 3 });
    void made.posts.list({
      where: { title: ["a", "b"], views: null, OR: [{ author: { is: { name: { equals: "x" } } } }] },
    });
    const typed: client.ListQuery<Api, "posts", undefined, undefined> = { where: { author: null }, limit: 3 };
    void made.posts.list(typed);
    // @ts-expect-error no field
    void made.posts.list({ where: { titel: "x" }, limit: 3 });
    // @ts-expect-error no field beside one that exists
    void made.posts.list({ where: { title: "x", titel: "x" }, limit: 3 });
    // @ts-expect-error no operator
    void made.posts.list({ where: { title: { contain: "x" } }, limit: 3 });
    // @ts-expect-error no operator beside one that exists
    void made.posts.list({ where: { title: { contains: "x", contain: "x" } }, limit: 3 });
    // @ts-expect-error an operator of another type
    void made.posts.list({ where: { title: { lt: "x" } }, limit: 3 });
    // @ts-expect-error no field of a related row
    void made.posts.list({ where: { author: { nam: "x" } }, limit: 3 });
    // @ts-expect-error no field of related rows
    void made.posts.list({ where: { comments: { some: { txt: "x" } } }, limit: 3 });
    // @ts-expect-error values of another type
    void made.posts.list({ where: { title: [1] }, limit: 3 });
    // @ts-expect-error a value in place of a related row
    void made.posts.list({ where: { author: "x" }, limit: 3 });
    // @ts-expect-error no field in a group
    void made.posts.list({ where: { OR: [{ title: "x" }, { titel: "x" }] }, limit: 3 });
    // @ts-expect-error a filter outside where
    void made.posts.list({ title: "x", limit: 3 });
    // @ts-expect-error no key of the query
    void made.posts.list({ limit: 3, wher: { title: "x" } });
    // @ts-expect-error no field, beside fields and include
    void made.posts.list({ where: { titel: "x" }, fields: ["id"], include: { author: true }, limit: 3 });
    // @ts-expect-error no field, in pages
    void made.posts.pages({ where: { titel: "x" }, limit: 3 });
    // @ts-expect-error no field, in a write
    void made.posts.deleteMany({ where: { titel: "x" } });
    const query = { where: { titel: "x" }, limit: 3 };
    // @ts-expect-error no field, in a variable
    void made.posts.list(query);
    const where = { title: "x", titel: "x" };
    // @ts-expect-error no field beside one that exists, in a variable
    void made.posts.list({ where, limit: 3 });
    const misspelt = { wher: { title: "x" }, limit: 3 };
    // @ts-expect-error no key of the query, in a variable
    void made.posts.list(misspelt);
    // @ts-expect-error the same for pages
    void made.posts.pages(misspelt);
    const operators = { where: { title: { contains: "x", contain: "x" } }, limit: 3 };
    // @ts-expect-error no operator beside one that exists, in a variable
    void made.posts.list(operators);
  });

  it("requires the path parameters and the declared types of a route", () => {
    type Call = client.RouteCall<"POST /api/posts/:id/lines/:line", Routes["POST /api/posts/:id/lines/:line"]>;
    expectTypeOf<{ params: { id: 1; line: "2" }; body: { text: "x" } }>().toExtend<Call>();
    expectTypeOf<{ params: { id: 1 }; body: { text: "x" } }>().not.toExtend<Call>();
    void made.route("GET /api/ping");
    // @ts-expect-error it takes a body
    void made.route("POST /api/posts/:id/lines/:line", { params: { id: 1, line: 2 } });
  });

  it("replaces rows with foreign keys in place of relations", () => {
    expectTypeOf<{ title: "x" }>().toExtend<client.Replacement<Api, "posts">>();
    expectTypeOf<{ title: "x"; author: { id: 1 } }>().not.toExtend<client.Replacement<Api, "posts">>();
    expectTypeOf<{ onConflict: "title" }>().toExtend<client.UpsertOptions<Api, "posts">>();
    expectTypeOf<{ onConflict: ["id", "title"]; resolution: "ignore" }>().toExtend<
      client.UpsertOptions<Api, "posts">
    >();
    expectTypeOf<{ onConflict: "author" }>().not.toExtend<client.UpsertOptions<Api, "posts">>();
  });

  it("exports and imports files", async () => {
    expectTypeOf<{ limit: 5; sort: ["-title"]; fields: ["id"] }>().toExtend<client.ExportQuery<Api, "posts">>();
    expectTypeOf<{ sort: ["tags"] }>().not.toExtend<client.ExportQuery<Api, "posts">>();
    expectTypeOf<{ dryRun: true; onConflict: "title" }>().toExtend<client.ImportOptions<Api, "posts">>();
    expectTypeOf<{ onConflict: "author" }>().not.toExtend<client.ImportOptions<Api, "posts">>();
    const { posts } = makeClient<Api>();
    expectTypeOf(posts.export({ format: "csv" })).resolves.toEqualTypeOf<ReadableStream<Uint8Array>>();
    for await (const row of await posts.export({ format: "ndjson", fields: ["title"] }))
      expectTypeOf(row).toEqualTypeOf<{ title: string }>();
    // @ts-expect-error An export has no pages.
    posts.export({ format: "csv", page: 2 });
  });
});
