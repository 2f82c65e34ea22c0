import type { TestedProvider } from "../../../../scripts/test/provider-database.js";

/*
 * The requests that have the same responses on every provider. Add a provider: its name and its
 * column types in `portable-schema.ts`, its database and its statements in `portable-shop.ts`, and `differs` for the
 * requests whose difference the guide documents.
 */

/** A documented difference of a provider: the word before the point of its paragraph in docs/guides/databases.md. */
export type Difference = "enums" | "letters" | "aggregates" | "sums" | "dates";

/**
 * A recorded request. `{name}` in its path, headers and body is a value that an earlier response of the same provider
 * contained (`keep`).
 */
export interface Recorded {
  readonly method: string;
  /** Below `/api`. */
  readonly path: string;
  /** The user who sends it, once signed in; anonymous without one. */
  readonly as?: "ada" | "ben" | "edda" | "root" | undefined;
  readonly body?: unknown;
  /** Fields and files of a form, instead of a body. */
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Places of values in the response by their names; `etag` is that header. */
  readonly keep?: Readonly<Record<string, string>>;
  /** The documented difference of a provider from PostgreSQL: its response must differ. */
  readonly differs?: Readonly<Partial<Record<TestedProvider, Difference>>>;
}

type More = Omit<Recorded, "method" | "path" | "body">;
const request =
  (method: string, as?: Recorded["as"]) =>
  (path: string, body?: unknown, more: More = {}): Recorded => ({ method, path, as, body, ...more });

const read =
  (as?: Recorded["as"], more: More = {}) =>
  (path: string) =>
    request("GET", as)(path, undefined, more);
const list = (paths: readonly string[], as?: Recorded["as"], more?: More): Recorded[] => paths.map(read(as, more));

const post = request("POST", "edda");
const patch = request("PATCH", "edda");
const remove = request("DELETE", "edda");

/** One filter for each operator of each kind of field. */
export const operators = list([
  ...["equals=5000", "not=5000", "lt=2000", "lte=2500", "gt=9000", "gte=9000", "in=1000,2500,5000", "notIn=1000"].map(
    (operator) => `/products?price__${operator}&fields=id,price&limit=10`,
  ),
  ...["equals=Tent", "not=Tent", "contains=a", "icontains=LAMP", "startsWith=S", "istartsWith=s", "endsWith=e"].map(
    (operator) => `/products?name__${operator}&fields=id,name&limit=20`,
  ),
  ...[
    "iendsWith=E",
    "iequals=TENT",
    "lt=C",
    "gte=T",
    "in=Tent,Kettle",
    "contains=%25",
    "contains=_",
    "contains=%5C",
  ].map((operator) => `/products?name__${operator}&fields=id,name&limit=20`),
  ...["isNull=true", "isNull=false", "lt=1", "not=null"].map(
    (operator) => `/products?weight__${operator}&fields=id,weight&limit=10`,
  ),
  ...["equals=ACTIVE", "not=ACTIVE", "in=DRAFT,RUNNING_OUT", "notIn=ACTIVE,DRAFT"].map(
    (operator) => `/products?status__${operator}&fields=id,status&limit=10`,
  ),
  ...["lt=2025-06-01", "gte=2025-06-01T12:00:00.000Z", "isNull=true", "equals=2024-01-01"].map(
    (operator) => `/products?releasedOn__${operator}&fields=id,releasedOn&limit=10`,
  ),
  "/settings?key=shop.name",
  "/reviews?isVerified=true&fields=id,isVerified,rating&limit=10",
  "/reviews?isVerified__not=true&rating__gte=4&fields=id,rating&limit=10",
]);

export const lists = list([
  "/products",
  "/products?limit=3&page=2",
  "/products?limit=100&count=false",
  "/products?sort=-price,name&limit=15",
  "/products?sort=name&limit=25",
  "/products?sort=weight,id&limit=25",
  "/products?sort=-weight,-id&limit=25",
  "/products?sort=category.name,-price&limit=10",
  "/products?fields=-description,-attributes&limit=5",
  "/products?include=category&limit=5",
  "/products?include=category.parent,tags,images&limit=5",
  "/products?include=reviews&limit=3&sort=-id",
  "/products?search=steel&fields=id,name",
  "/products?search=STEEL%20a&fields=id,name",
  "/products?category__parent__isNull=false&fields=id&limit=10",
  "/products?category__slug__contains=a&fields=id,categoryId&limit=10",
  "/products?tags__some__name__contains=o&fields=id&limit=10",
  "/products?tags__none__name__contains=o&fields=id&limit=10",
  "/products?reviews__every__rating__gte=3&fields=id&limit=10",
  "/products?reviews__some__rating=1&fields=id&limit=10",
  "/products?or[0][price__lt]=1500&or[1][name__icontains]=tent&fields=id,name,price",
  "/products?not[status]=ACTIVE&fields=id,status&limit=10",
  "/products?status=ACTIVE&and[0][price__gt]=1000&and[1][price__lt]=3000&fields=id",
  "/categories?include=children&sort=position,name",
  "/categories?parent=null&fields=id,name,slug",
  "/categories?parent__slug__startsWith=c&sort=-slug",
  "/tags?sort=name&limit=50",
  "/product-images?limit=2&sort=id&fields=id,position,mimeType,productId",
  "/reviews?sort=-rating,id&limit=10",
  "/reviews?product__name__icontains=a&fields=id,productId&limit=10",
]);

export const staffLists = list(
  [
    "/orders?limit=5&include=items.product,customer",
    "/orders?status=PAID&sort=-total&limit=5&fields=id,reference,total,status",
    "/orders?placedAt__gte=2025-03-01&placedAt__lt=2025-03-08&fields=id,placedAt",
    "/orders?coupon__percent__gte=100&fields=id,couponCode&limit=5",
    "/orders?couponCode__isNull=false&sort=couponCode,id&fields=id,couponCode&limit=15",
    "/orders?customer__newsletter=true&fields=id&limit=5",
    "/orders?items__some__quantity__gt=2&fields=id&limit=5",
    "/orders?billingAddress=null&fields=id&limit=5",
    "/order-items?limit=5&sort=-unitPrice",
    "/payments?method=CARD&limit=5&sort=-amountCents",
    "/payments?amountCents__gt=100000&fields=id,amountCents&limit=5",
    "/customers?sort=email&limit=5",
    "/customers?loyaltyPoints__gte=100&sort=-loyaltyPoints,id&fields=id,loyaltyPoints&limit=5",
    "/customers?birthday__lt=1960-01-01&fields=id,birthday&limit=5",
    "/customers?search=anna&fields=id,name",
    "/suppliers?sort=name&include=products&limit=3",
    "/suppliers?reliability__gte=0.5&sort=-reliability,id&fields=id,reliability",
    "/product-suppliers?limit=3",
    "/stock-movements?reason=SALE&sort=-id&limit=3",
    "/coupons?sort=code",
    "/addresses?country=DE&sort=city,id&fields=id,city&limit=10",
    "/settings?sort=key",
  ],
  "root",
);

export const cursors = ["price,id", "-name", "weight,id", "-releasedOn,id", "-updatedAt,sku"].flatMap((sort) => [
  request("GET")(`/products?sort=${sort}&limit=6&fields=id&cursor=`, undefined, {
    keep: { cursor: "meta.nextCursor" },
  }),
  request("GET")(`/products?sort=${sort}&limit=6&fields=id&cursor={cursor}`, undefined, {
    keep: { cursor: "meta.nextCursor" },
  }),
  request("GET")(`/products?sort=${sort}&limit=6&fields=id&cursor={cursor}`),
]);

export const singles = list([
  "/products/1",
  "/products/2?include=category,reviews&fields=id,name",
  "/products/999999",
  "/products/abc",
  "/products/1?include=nothing",
  "/categories/1?include=parent,children",
]);

export const rejectedReads = list([
  "/products?pric=1",
  "/products?price=abc",
  "/products?price__like=1",
  "/products?sort=unknown",
  "/products?limit=1000",
  "/products?page=0",
  "/products?cursor=nonsense",
  "/products?sort=category.name&cursor=",
  "/products?purchasePrice__gt=1",
  "/products?stock__gt=1",
  "/products?status=GONE",
  "/products?releasedOn=2025-02-30",
  "/orders",
  "/nothing",
  "/products?name__contains=%00",
]);

export const aggregates = [
  ...list(
    [
      "/orders/aggregate?count=true&sum=total&max=placedAt&min=placedAt",
      "/orders/aggregate?groupBy=couponCode&count=true&sort=couponCode",
      "/orders/aggregate?groupBy=customerId&count=true&sum=total&sort=-sum.total&limit=5",
      "/orders/aggregate?count=true&status=PAID",
      "/orders/aggregate?groupBy=unknown",
      "/products/aggregate?groupBy=categoryId&count=true&min=price&max=price&sort=categoryId",
      "/products/aggregate?count=true&name__icontains=a",
      "/reviews/aggregate?groupBy=rating&count=true&sort=-rating",
    ],
    "root",
  ),
  ...list(
    [
      "/orders/aggregate?groupBy=placedAt:month&sum=total",
      "/orders/aggregate?groupBy=customer.newsletter&count=true",
      "/orders/aggregate?groupBy=customerId&count=true&having[count][gte]=5",
      "/orders/aggregate?countDistinct=customerId",
    ],
    "root",
    { differs: { sqlite: "aggregates", mysql: "aggregates" } },
  ),
];

const tag = (name: string) => ({ name });
const product = (more: object = {}) => ({ sku: "NEW-1", name: "Folding Saw", price: 2450, categoryId: 1, ...more });

export const documentedDifferences = [
  ...list(["/products?sort=status,id&fields=id,status&limit=100"], undefined, { differs: { sqlite: "enums" } }),
  ...list(["/customers?search=%C3%96&fields=id,name"], "root", { differs: { sqlite: "letters" } }),
  post("/products", product({ sku: "OLD-1", releasedOn: "0900-05-01" }), { differs: { mysql: "dates" } }),
  remove("/products/many?sku=OLD-1", undefined, { differs: { mysql: "dates" } }),
];

export const writes: readonly Recorded[] = [
  post("/tags", tag("brand new"), { keep: { tag: "data.id" } }),
  request("GET")("/tags/{tag}"),
  post("/tags", tag("brand new")),
  post("/tags", {}),
  post("/tags", { name: "x", nothing: 1 }),
  post("/tags", { name: 5 }),
  post("/tags", "{broken", { headers: { "content-type": "application/json" } }),
  request("POST")("/tags", tag("anonymous")),
  request("POST", "ada")("/tags", tag("customer")),
  post("/products", product(), { keep: { product: "data.id" } }),
  request("GET", "edda")("/products/{product}?include=category,tags"),
  post("/products", product()),
  post("/products", product({ sku: "NEW-2", categoryId: 99_999 })),
  post("/products", product({ sku: "NEW-2", price: 2_147_483_648 })),
  post("/products", product({ sku: "NEW-2", price: "12.345" })),
  post("/products", product({ sku: "NEW-2", status: "GONE" })),
  post("/products", product({ sku: "NEW-2", name: "a\u0000b" })),
  post("/products", product({ sku: "NEW-2", stock: 5 })),
  post("/products", product({ sku: "NEW-2", attributes: { z: 1, a: [1, null, "x"], b: { d: 1.5, c: true } } })),
  post(
    "/products",
    product({ sku: "NEW-3", releasedOn: "2025-05-01", weight: 0.1, channels: ["STORE"], keywords: [] }),
  ),
  patch("/products/{product}", { name: "Folding Saw, large", description: null }),
  patch("/products/{product}", { sku: "NEW-2" }),
  patch("/products/{product}", { categoryId: 99_999 }),
  patch("/products/{product}", {}),
  patch("/products/999999", { name: "x" }),
  patch("/products/{product}", { category: { id: 2 } }),
  patch("/products/{product}", { category: { slug: "nothing" } }),
  patch("/products/{product}", { tags: [{ id: 1 }, { name: "brand new" }] }),
  patch("/products/{product}", { tags: [{ id: 1, $disconnect: true }] }),
  patch("/products/{product}", { tags: [{ id: 99_999 }] }),
  request("GET", "edda")("/products/{product}?include=tags,category"),
  post("/products", product({ sku: "NEW-4", images: [{ position: 1, alt: "front", thumbnail: "AQID" }] }), {
    keep: { pictured: "data.id" },
  }),
  post(
    "/products",
    product({
      sku: "NEW-5",
      images: [
        { position: 1, thumbnail: "AQ==" },
        { position: 1, thumbnail: "AQ==" },
      ],
    }),
  ),
  request("GET", "edda")("/products/{pictured}?include=images"),
  request("GET", "edda")("/products?sku__startsWith=NEW&fields=id,sku&sort=id"),
  request("POST", "root")(
    "/categories",
    { name: "Workshop", slug: "workshop", parent: { id: 1 } },
    { keep: { category: "data.id" } },
  ),
  remove("/categories/1"),
  remove("/categories/{category}"),
  remove("/categories/{category}"),
  remove("/products/{pictured}"),
  request("GET", "edda")("/product-images?productId={pictured}"),
  request("DELETE", "ada")("/products/{product}"),
  request("PUT", "edda")("/tags/{tag}", tag("renamed")),
  request("PUT", "edda")("/tags/99999", tag("missing")),
  request("PUT", "root")("/settings/new.setting", { value: { a: 1 } }),
  request("PUT", "root")("/settings/new.setting", { value: [1, 2], description: "two" }),
  request("PUT", "root")("/settings/new.setting", { value: 1 }, { headers: { "if-none-match": "*" } }),
  request("GET", "root")("/settings/new.setting"),
  request("DELETE", "root")("/settings/new.setting"),
];

export const bulk: readonly Recorded[] = [
  post("/tags/many", [tag("bulk a"), tag("bulk b"), tag("bulk c")], {
    keep: { a: "data.0.id", b: "data.1.id", c: "data.2.id" },
  }),
  post("/tags/many", [tag("bulk d"), tag("bulk a")]),
  request("GET")("/tags?name__startsWith=bulk&sort=name&fields=name"),
  post("/tags/many?onConflict=name", [tag("bulk a"), tag("bulk e")]),
  post("/tags/many?onConflict=name&resolution=ignore", [tag("bulk e"), tag("bulk f")]),
  patch("/tags/many", [
    { id: "{a}", name: "bulk 1" },
    { id: "{b}", name: "bulk 2" },
  ]),
  patch("/tags/many", [
    { id: "{a}", name: "bulk x" },
    { id: 99_999, name: "bulk y" },
  ]),
  patch("/tags/many", [{ id: "{a}", name: "bulk 2" }]),
  request("GET")("/tags?name__startsWith=bulk&sort=name&fields=name"),
  remove("/tags/many", { ids: ["{a}", 99_999] }),
  remove("/tags/many", { ids: ["{a}", "{b}"] }),
  remove("/tags/many?name__startsWith=bulk"),
  request("GET")("/tags?name__startsWith=bulk"),
  post("/tags/many", []),
  post("/products/many", [product({ sku: "MANY-1" }), product({ sku: "MANY-2", categoryId: 99_999 })]),
  request("GET")("/products?sku__startsWith=MANY"),
  request("POST", "root")("/customers/many", [
    { email: "one@example.com", name: "One" },
    { email: "two@example.com", name: "Two", birthday: "1990-02-28", preferences: { a: 1 } },
  ]),
  request(
    "GET",
    "root",
  )("/customers?email__endsWith=@example.com&name__in=One,Two&sort=name&fields=email,birthday,preferences"),
];

export const etags: readonly Recorded[] = [
  request("GET")("/tags/1", undefined, { keep: { etag: "etag" } }),
  request("GET")("/tags/1", undefined, { headers: { "if-none-match": "{etag}" } }),
  patch("/tags/1", tag("first"), { headers: { "if-match": "{etag}" } }),
  patch("/tags/1", tag("second"), { headers: { "if-match": "{etag}" } }),
  patch("/tags/1", tag("second"), { headers: { "if-match": "nonsense" } }),
  patch("/tags/1", tag("third"), { headers: { "if-match": "*" } }),
  remove("/tags/1", undefined, { headers: { "if-match": "{etag}" } }),
  request("GET")("/tags/1"),
];

export const idempotency: readonly Recorded[] = [
  post("/tags", tag("once"), { headers: { "idempotency-key": "key-of-a-tag-1" } }),
  post("/tags", tag("once"), { headers: { "idempotency-key": "key-of-a-tag-1" } }),
  post("/tags", tag("twice"), { headers: { "idempotency-key": "key-of-a-tag-1" } }),
  post("/tags", tag("once"), { headers: { "idempotency-key": "key-of-a-tag-2" } }),
  request("GET")("/tags?name=once&fields=name"),
];

export const softDelete: readonly Recorded[] = [
  request("DELETE", "root")("/reviews/2"),
  request("GET")("/reviews/2"),
  request("GET", "root")("/reviews?deleted=only&fields=id,rating"),
  request("GET")("/reviews?deleted=only"),
  request("GET", "root")("/products?include=reviews&reviews__some__id=2"),
  request("POST", "root")("/reviews/2/restore"),
  request("POST", "root")("/reviews/2/restore"),
  request("GET")("/reviews/2"),
  request("DELETE", "root")("/reviews/3?permanent=true"),
  request("GET", "root")("/reviews?deleted=include&id__in=1,2,3&fields=id"),
];

export const accounts: readonly Recorded[] = [
  request("GET", "ada")("/orders?fields=id,reference,status,total&sort=id"),
  request("GET", "ada")("/orders?fields=clientIp"),
  request("GET", "ada")("/customers"),
  request("GET", "ada")("/users/me"),
  request("GET", "ben")("/addresses?sort=id"),
  request("POST")("/auth/login", { username: "ada", password: "wrong password" }),
  request("POST")("/auth/login", { username: "unknown", password: "wrong password" }),
  request("POST")(
    "/auth/signup",
    { username: "cy", email: "cy@example.com", password: "a long password" },
    { keep: { cy: "data.id" } },
  ),
  request("POST")("/auth/signup", { username: "cy", email: "other@example.com", password: "a long password" }),
  request("POST")("/auth/signup", { username: "dora", email: "CY@example.com", password: "a long password" }),
  request("POST")(
    "/auth/login",
    { email: "CY@EXAMPLE.COM", password: "a long password" },
    {
      keep: { token: "accessToken", refresh: "refreshToken" },
    },
  ),
  request("GET")("/users/me", undefined, { headers: { authorization: "Bearer {token}" } }),
  request("GET")("/auth/sessions", undefined, { headers: { authorization: "Bearer {token}" } }),
  request("POST")(
    "/auth/refresh",
    { refreshToken: "{refresh}" },
    { keep: { token: "accessToken", newer: "refreshToken" } },
  ),
  request("POST")("/auth/refresh", { refreshToken: "a-token-that-is-not-one" }),
  request("POST")(
    "/auth/keys",
    { name: "robot" },
    { headers: { authorization: "Bearer {token}" }, keep: { key: "data.key", keyId: "data.id" } },
  ),
  request("GET")("/users/me", undefined, { headers: { "x-api-key": "{key}" } }),
  request("GET")("/auth/keys", undefined, { headers: { authorization: "Bearer {token}" } }),
  request("PATCH")("/auth/keys/{keyId}", { name: "renamed" }, { headers: { authorization: "Bearer {token}" } }),
  request("POST")(
    "/auth/keys/{keyId}/rotate",
    { overlapSeconds: 0 },
    { headers: { authorization: "Bearer {token}" }, keep: { rotated: "data.key" } },
  ),
  request("GET")("/users/me", undefined, { headers: { "x-api-key": "{rotated}" } }),
  request("DELETE")("/auth/keys/{keyId}", undefined, { headers: { authorization: "Bearer {token}" } }),
  request("GET")("/users/me", undefined, { headers: { "x-api-key": "{rotated}" } }),
  request("PATCH", "root")("/users/{cy}", { role: "STAFF" }),
  request("PATCH", "ada")("/users/{cy}", { role: "STAFF" }),
  request("GET", "root")("/users?sort=username&fields=username,role,isActive"),
  request("DELETE")("/auth/logout", undefined, { headers: { authorization: "Bearer {token}" } }),
  request("GET")("/users/me", undefined, { headers: { authorization: "Bearer {token}" } }),
  request("DELETE", "root")("/users/{cy}"),
  request("PATCH", "ada")("/users/me", { email: "ada.new@example.com" }),
];

export const files: readonly Recorded[] = [
  request("GET")("/products?sku__startsWith=NEW&sort=sku&fields=sku,attributes", undefined, {
    headers: { accept: "text/csv" },
  }),
  request("GET")("/products?sort=id&limit=5&fields=id,sku,name,price,keywords,createdAt", undefined, {
    headers: { accept: "text/csv" },
  }),
  request("GET")("/products?sort=-price,id&limit=5&include=category&fields=-attributes", undefined, {
    headers: { accept: "application/x-ndjson" },
  }),
  request("GET", "root")("/orders?placedAt__lt=2025-01-15&sort=id", undefined, { headers: { accept: "text/csv" } }),
  request("POST", "edda")("/products/many", "sku,name,price,categoryId\r\nCSV-1,Rope,1200,1\r\nCSV-2,Hook,300,1\r\n", {
    headers: { "content-type": "text/csv" },
  }),
  request("POST", "edda")("/products/many", "sku,name,price,categoryId\r\nCSV-3,Rope,1200,1\r\nCSV-1,Hook,x,1\r\n", {
    headers: { "content-type": "text/csv" },
  }),
  request("GET")("/products?sku__startsWith=CSV&sort=sku&fields=sku,name,price"),
  request("POST", "edda")("/suppliers", undefined, {
    form: { name: "Rope & Co", country: "DE", reliability: "0.75", logo: "file" },
    keep: { supplier: "data.id" },
  }),
  request("POST", "edda")("/suppliers", undefined, { form: { name: "Rope & Co", country: "DE", logo: "file" } }),
  request("GET", "edda")("/suppliers/{supplier}"),
  request("POST", "edda")("/suppliers", { name: "JSON & Co", country: "FR", phones: ["+33 1", "+33 2"] }),
];
