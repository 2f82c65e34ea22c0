/*
Attacks on generated routes that are known from other systems, through the complete service over HTTP, by an ordinary
caller with full access to every model of the shop. Every request is sent to two shops: one whose callers have roles,
with secrets in its hidden fields, and one with stored permissions and other values in these fields. Their responses
are equal to the byte.

Related attacks are tested elsewhere:

- random paths and wrappers, cursors: `model-router/test/two-databases` and `cursors`
- aggregates and `distinct`: `model-router/test/dangerous-options`
- lists of allowed fields: `model-router/test/access-fields`, `accounts`
- operations of the ORM in bodies: `model-router/test/relations-attacks`, `rights`
- accounts, tokens, sign-in, emails, requests, injections, forms and expensive queries: the other files of this folder
*/
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { models } from "../../src/generated/service/models.js";
import { shopPaths } from "../open-shop.js";
import { openTwoDatabases, secrets, type TwoDatabases } from "./two-databases.js";

let databases: TwoDatabases;
beforeAll(async () => {
  databases = await openTwoDatabases();
});
afterAll(() => databases?.close());

interface Named {
  readonly name: string;
  readonly kind: string;
  readonly type: string;
  readonly isList?: boolean;
  readonly documentation?: string;
}
const fieldsOf = (model: string): readonly Named[] =>
  (models.models.find(({ name }) => name === model)?.fields ?? []) as readonly Named[];
const isHidden = ({ name, documentation = "" }: Named) =>
  name === "password" || /@(hidden|writeonly)/.test(documentation);

/** Every path to a hidden field over at most three relations. */
function hiddenPaths(model: string, hops: number): readonly (readonly string[])[] {
  return fieldsOf(model).flatMap((field) => {
    if (isHidden(field)) return [[field.name]];
    if (field.kind !== "relation" || hops === 0) return [];
    return hiddenPaths(field.type, hops - 1).map((rest) => [field.name, ...rest]);
  });
}

const operators =
  "equals not in notIn lt lte gt gte contains icontains startsWith istartsWith endsWith iendsWith iequals isNull has hasSome hasEvery isEmpty is isNot some every none".split(
    " ",
  );

describe("reading a hidden field through relations, letter by letter", () => {
  const all = Object.entries(shopPaths).flatMap(([model, path]) =>
    hiddenPaths(model, 3).map((names) => [path, names] as const),
  );

  it(`every one of ${all.length} paths is 400 with some operator, and equal in both databases`, {
    timeout: 300_000,
  }, async () => {
    expect(all.length).toBeGreaterThan(100);
    // Each path with its own share of the operators: over all paths every operator is used in every notation.
    for (let index = 0; index < all.length; index += 4) {
      await Promise.all(
        all.slice(index, index + 4).map(async ([path, names], place) => {
          const operator = operators[(index + place) % operators.length] ?? "";
          const [first = "", ...rest] = names;
          const name =
            (index + place) % 2 === 0
              ? [...names, operator].join("__")
              : `${first}${[...rest, operator].map((segment) => `[${segment}]`).join("")}`;
          await databases.rejected("GET", `/${path}?${name}=${encodeURIComponent(secrets[place % 3] ?? "")}`);
        }),
      );
    }
  });

  it.each(operators)(
    "the operator %s on a hidden field of the model itself, and of a related one",
    async (operator) => {
      for (const [path, field] of [
        ["products", "purchasePrice"],
        ["customers", "staffNote"],
        ["payments", "cardToken"],
        ["reviews", "product__purchasePrice"],
        ["orders", "payment__is__cardToken"],
      ])
        await databases.rejected("GET", `/${path}?${field}__${operator}=77.1234`);
    },
  );

  it("four relations are too many, on every path", async () => {
    await databases.rejected("GET", "/tags?products__reviews__customer__orders__note=x");
    await databases.rejected("GET", "/tags?products__reviews__customer__orders__payment__cardToken=x");
  });
});

describe("measuring the time of a comparison with a hidden field", () => {
  const slow = (secret: string) =>
    Array.from({ length: 40 }, (_, index) => `or[${index}][staffNote__contains]=${secret}${index}`).join("&");

  it("is rejected before the database is queried", async () => {
    await databases.ours.call("GET", "/customers?limit=1");
    const before = databases.statements();
    for (const query of [
      slow("zebra"),
      "staffNote__startsWith=z",
      "orders__payment__cardToken__contains=t",
      "sort=staffNote",
    ])
      expect((await databases.ours.call("GET", `/customers?${query}`)).status).toBe(400);
    for (const method of ["PATCH", "DELETE"])
      expect(
        (
          await databases.ours.call(
            method,
            `/customers/many?${slow("zebra")}`,
            method === "PATCH" ? { name: "x" } : undefined,
          )
        ).status,
      ).toBe(400);
    expect(databases.statements()).toBe(before);
  });
});

describe("hiding the field in a wrapper", () => {
  it.each([
    "or[0][staffNote]=zebra-note",
    "or[0][name]=x&or[1][staffNote]=zebra-note",
    "and[0][or][0][not][staffNote]=zebra-note",
    "not[staffNote]=zebra-note",
    "not[0][not][0][staffNote__contains]=z",
    "OR[0][staffNote]=zebra-note",
    "or[][staffNote]=zebra-note",
    "or[length]=1&or[0][staffNote]=zebra-note",
    "or[a][staffNote]=zebra-note",
    "or.0.staffNote=zebra-note",
    "or__0__staffNote__startsWith=z",
    "name[staffNote]=zebra-note",
    "name[not][staffNote]=zebra-note",
    "orders[some][customer][staffNote]=zebra-note",
    "orders[0][customer][staffNote]=zebra-note",
    "staffNote[]=zebra-note",
    "staffNote[0]=zebra-note",
    "staffNote.=zebra-note",
    "[staffNote]=zebra-note",
    "staffNote%00=zebra-note",
    "%73taffNote=zebra-note",
    "staffNote=zebra-note&staffNote=x",
  ])("?%s", async (query) => {
    await databases.rejected("GET", `/customers?${query}`);
    await databases.rejected("DELETE", `/customers/many?${query}`);
  });
});

describe("an alternative parameter, a prefix or the column's own name", () => {
  it.each([
    "where[staffNote]=zebra-note",
    `where={"staffNote":"zebra-note"}`,
    "filter[staffNote]=zebra-note",
    "filters[staffNote][$eq]=zebra-note",
    "filters[$or][0][staffNote]=zebra-note",
    "lookup[staffNote]=zebra-note",
    "_where[staffNote]=zebra-note",
    "$where=this.staffNote",
    `prismaQueryOptions={"where":{"staffNote":"zebra-note"}}`,
    `prismaQueryOptions={"select":{"staffNote":true}}`,
    "t0.staffNote=zebra-note",
    "t1.staff_note=zebra-note",
    "customers.staff_note=zebra-note",
    "Customer.staffNote=zebra-note",
    "customer__staffNote=zebra-note",
    "public.customers.staff_note=zebra-note",
    `"staff_note"=zebra-note`,
    "staff_note=zebra-note",
    "STAFFNOTE=zebra-note",
    "staffNote%20=zebra-note",
    "staffnote__icontains=z",
    "staffNote::text=zebra-note",
    "staffNote->>a=z",
    "select=staffNote",
    "columns=staffNote",
    "populate=staffNote",
    "expand=user",
    "user__password__startsWith=$2b",
    "user__isNull=true",
  ])("?%s", async (query) => {
    await databases.rejected("GET", `/customers?${encodeURI(query)}`);
    await databases.rejected("PATCH", `/customers/many?${encodeURI(query)}`, { name: "lost" });
  });
});

describe("by the id, the cursor and bulk writes", () => {
  const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString("base64url");

  it.each([
    `sort=purchasePrice&cursor=`,
    `cursor=${cursor("purchasePrice,id", "77.1234", "1")}`,
    `sort=name&cursor=${cursor("purchasePrice,id", "77.1234", "1")}`,
    `sort=name&cursor=${cursor("name,purchasePrice,id", "A", "77.1234", "1")}`,
    `sort=name&cursor=${cursor("name,id", { purchasePrice: "77.1234" }, "1")}`,
    `sort=name&cursor=${cursor("name,id", "A", { gt: 0 })}`,
    `cursor=${cursor({ purchasePrice: "77.1234" })}`,
    `cursor[purchasePrice]=77.1234`,
    `cursor=${encodeURIComponent('{"purchasePrice":"77.1234"}')}`,
  ])("GET /products?%s", async (query) => {
    await databases.rejected("GET", `/products?${query}`);
  });

  it.each<[string, string, unknown]>([
    ["DELETE", "/products/many", { ids: [{ purchasePrice: "77.1234" }] }],
    ["DELETE", "/products/many", { ids: [{ id: 1, purchasePrice: "77.1234" }] }],
    ["DELETE", "/products/many", { where: { purchasePrice: "77.1234" } }],
    ["PATCH", "/products/many", [{ id: { purchasePrice: "77.1234" }, name: "x" }]],
    ["PATCH", "/products/many", [{ id: 1, purchasePrice: "1" }]],
    ["PATCH", "/products/1", { purchasePrice: "1" }],
    ["PATCH", "/products/1", { category: { id: 1, products: { some: { purchasePrice: 1 } } } }],
    ["PATCH", "/reviews/1", { customer: { staffNote: "zebra-note" } }],
    ["PATCH", "/reviews/1", { customer: { email: "a@b.c", staffNote: "zebra-note" } }],
    ["POST", "/reviews", { rating: 5, body: "x", productId: 1, customer: { staffNote: "zebra-note" } }],
  ])("%s %s %j", async (method, path, body) => {
    await databases.rejected(method, path, body);
  });

  it("an id with the name of a hidden field finds nothing", async () => {
    for (const path of ["/products/purchasePrice", "/products/77.1234", "/coupons/staffNote", "/products/1,77.1234"])
      expect((await databases.both("GET", path)).status).toBe(404);
    await databases.rejected("GET", "/products/1?purchasePrice=77.1234");
    await databases.rejected("PATCH", "/products/1?purchasePrice=77.1234", { name: "x" });
    await databases.rejected("DELETE", "/products/1?purchasePrice=77.1234");
  });
});

describe("aggregates, groups, aliases and the search", () => {
  it.each([
    "_min=purchasePrice",
    "_max[purchasePrice]=true",
    "_avg=purchasePrice",
    "_count=true",
    "_count[purchasePrice]=true",
    "aggregate[min]=purchasePrice",
    "groupBy=purchasePrice",
    "groupBy[]=purchasePrice",
    "having[purchasePrice][gt]=1",
    "distinct=purchasePrice",
    "fields=purchasePrice",
    "fields=price:purchasePrice",
    "fields=purchasePrice%20as%20name",
    "fields=name,purchasePrice",
    "fields=-purchasePrice",
    "fields=*",
    "fields=id,*",
    "fields[products]=purchasePrice",
    "alias[name]=purchasePrice",
    "include=purchasePrice",
    "include=_count",
    "include=*",
    "include=reviews.customer.staffNote",
    "include=orderItems.order.customer.user",
    "include=reviews.customer.user",
    "omit=name",
    "select[purchasePrice]=true",
    "_count__reviews__gt=1",
    "reviews__count__gt=1",
    "reviews___count__gt=1",
    "reviews__length=1",
  ])("GET /products?%s", async (query) => {
    await databases.rejected("GET", `/products?${query}`);
    await databases.rejected("GET", `/products/1?${query}`);
  });

  it("the search finds nothing by a hidden value, and no response contains one", async () => {
    for (const [path, word] of [
      ["customers", "zebra-note"],
      ["products", "77.1234"],
    ] as const)
      expect((await databases.both("GET", `/${path}?search=${word}`)).body.meta.total).toBe(0);
    // No caller may read the token of a card, and a payment has no other text.
    await databases.rejected("GET", "/payments?search=tok_zebra");
    for (const [model, path] of Object.entries(shopPaths)) {
      const relations = fieldsOf(model).filter((field) => field.kind === "relation" && !isHidden(field));
      for (const { name } of relations)
        expect((await databases.both("GET", `/${path}?limit=3&include=${name}`)).status).toBe(200);
    }
  });
});

describe("sorting by a hidden field", () => {
  it.each([
    ["products", "sort=purchasePrice"],
    ["products", "sort=-purchasePrice"],
    ["products", "sort=name,-purchasePrice"],
    ["products", "sort=purchase_price"],
    ["products", "sort[purchasePrice]=asc"],
    ["products", "orderBy=purchasePrice"],
    ["products", "order=purchasePrice"],
    ["products", `sort={"purchasePrice":"asc"}`],
    ["reviews", "sort=product.purchasePrice"],
    ["reviews", "sort=customer.staffNote"],
    ["orders", "sort=payment.cardToken"],
    ["orders", "sort=customer.user.password"],
    ["order-items", "sort=order.payment.cardToken"],
    ["order-items", "sort=order.customer.staffNote"],
    ["products", "sort=reviews.customer.staffNote"],
    ["products", "sort=reviews._count"],
  ])("GET /%s?%s", async (path, query) => {
    await databases.rejected("GET", `/${path}?${encodeURI(query)}`);
    await databases.rejected("GET", `/${path}?${encodeURI(query)}&cursor=`);
  });
});

describe("an empty list of allowed fields allows nothing", () => {
  it("without searchable fields there is no search", async () => {
    await databases.rejected("GET", "/tags?search=a");
  });

  it("fields that the configuration hides cannot be filtered, sorted, returned or written", async () => {
    for (const query of [
      "reason=SALE",
      "quantity__gt=0",
      "note__contains=x",
      "sort=quantity",
      "fields=reason",
      "fields=-note",
      "search=x",
    ])
      await databases.rejected("GET", `/stock-movements?${query}`);
    await databases.rejected("GET", "/products?movements__reason=SALE");
    const { body } = await databases.both("GET", "/stock-movements?limit=5");
    for (const row of body.data) expect(Object.keys(row)).not.toEqual(expect.arrayContaining(["reason"]));
  });
});
