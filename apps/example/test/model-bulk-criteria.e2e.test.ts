import http from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenShop, startOpenShop } from "./open-shop.js";

let shop: OpenShop;
beforeAll(async () => {
  shop = await startOpenShop();
});
afterAll(() => shop?.close());

/** Rows and their contents, of the table itself and of related ones. */
async function checksum(): Promise<unknown> {
  const tables = ["reviews", "products", "suppliers", "coupons", "product_suppliers", "payments", "customers"];
  const sums = tables.map(
    (table) =>
      `(SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') FROM ${table} t)`,
  );
  return shop.database.$queryRawUnsafe(`SELECT ${sums.map((sum, index) => `${sum} AS "${tables[index]}"`).join(", ")}`);
}

/** The path is sent unchanged; `fetch` would normalize it. */
function send(method: string, target: string, body: string | undefined): Promise<{ status: number; text: string }> {
  const headers =
    body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const request = http.request(`${shop.url}/`, { method, path: `/api${target}`, headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

const uuidEnds = ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"] as const;

/** Queries of `/reviews/many` without a criterion. */
const reviewQueries = [
  ..."? ?& ?&& ?= ?=1 ?undefined ?null ?% ?[] ?[]= ?[id] ?id ?id= ?id=undefined ?id=null ?id=NaN ?id=%20 ?id=1.5 ?id=1e3".split(
    " ",
  ),
  ..."?id=Infinity ?id=[object%20Object] ?id=%00 ?id=%FF ?id=%C0%80 ?id=9999999999 ?id[]= ?id[]=null ?id=, ?id=,, ?id=1,".split(
    " ",
  ),
  ..."?id[equals]= ?id[in]= ?id__in= ?id__in=, ?id__in=null ?id__notIn= ?id__notIn=null ?id__notIn[]= ?id__not= ?id__not=null".split(
    " ",
  ),
  ..."?id__not=99999999999 ?id__not=undefined ?id__isNull=false ?id__isNull=true ?id[isNull]=false ?id__isnull=false".split(
    " ",
  ),
  ..."?id__gte=-2147483648 ?id__gt=-2147483649 ?id__lte=2147483647 ?id__lt=2147483648 ?not[id__gt]=2147483647".split(
    " ",
  ),
  ..."?not[id][lt]=-2147483648 ?rating__gte=-32768 ?rating__lte=32767 ?rating[lte]=32767&rating[gte]=-32768".split(" "),
  ..."?page=1 ?limit=5 ?page=1&limit=100 ?sort=id ?sort=-id ?fields=id ?include=product ?count=false ?search=a ?cursor= ?cursor=x".split(
    " ",
  ),
  ..."?page=1&sort=-id&limit=1 ?body= ?body=%22%22 ?body__contains= ?body__contains=%22%22 ?body__icontains= ?body__startsWith=".split(
    " ",
  ),
  ..."?body__istartsWith= ?body__endsWith= ?body__iendsWith= ?body__iequals= ?body__gte= ?body__gt= ?body__lte= ?body__lt=".split(
    " ",
  ),
  ..."?body__not= ?body__in= ?body__in=%22%22 ?body__in=%22%22,%22%22 ?body__notIn= ?body__notIn=%22%22 ?body__isNull=false".split(
    " ",
  ),
  ..."?not[body]= ?not[body__contains]= ?not[body][not]= ?not[not][body]= ?not[0][body]= ?not[0][body__contains]= ?not[body__in]=".split(
    " ",
  ),
  ..."?not[title__notIn]= ?not[title]= ?title= ?title__not= ?title[contains]= ?title[notIn]=".split(" "),
  ..."?or ?or= ?or[] ?or[]= ?or[0] ?or[0]= ?or[0][]= ?or[id]=1 ?or[0][body]= ?or[0][body]=x&or[1][body__contains]=".split(
    " ",
  ),
  ..."?or[0][body]=x&or[1][id__gte]=-2147483648 ?or[0][not][body]=&or[1][id]=1 ?or[0][or][0][body]= ?OR[0][id]=1 ?or[x][id]=1".split(
    " ",
  ),
  ..."?and ?and= ?and[0] ?and[0]= ?and[0][body]= ?and[0][body__contains]=&and[1][title]= ?AND[0][id]=1 ?and[0][and][0][body]=".split(
    " ",
  ),
  ..."?not ?not= ?not[] ?not[0] ?not[0]= ?NOT[id]=1 ?not[]=1 ?not[or][0][body]= ?not[and][0][body__icontains]=".split(
    " ",
  ),
  ..."?isVerified= ?isVerified=1 ?isVerified=TRUE ?isVerified__in=true,false ?isVerified__isNull=false ?isVerified__not= ?isVerified__not=null".split(
    " ",
  ),
  ..."?createdAt= ?createdAt__gte=0001-01-01 ?createdAt__lte=9999-12-31 ?createdAt__gte= ?createdAt__isNull=false ?createdAt=today".split(
    " ",
  ),
  ..."?not[createdAt__lt]=0001-01-01 ?product= ?product=null ?product__isNull=false ?product__isNull=true ?product__is=null ?product__isNot=null".split(
    " ",
  ),
  ..."?product__id= ?product__name= ?product__name__contains= ?product__is__name= ?product__isNot__name= ?product__isNot__name__contains=".split(
    " ",
  ),
  ..."?not[product__name]= ?not[product][isNot][name]= ?product__id__gte=-2147483648 ?product__isNot__id__lt=-2147483648".split(
    " ",
  ),
  ..."?product__price__gte=-99999999.99 ?product__price__lte=99999999.99 ?product__status__in=DRAFT,ACTIVE,RUNNING_OUT,DISCONTINUED".split(
    " ",
  ),
  ..."?product__tags__none__id__lt=-2147483648 ?product__tags__every__id__gte=-2147483648 ?product__tags__none__name= ?product__tags__every__name=".split(
    " ",
  ),
  ..."?product__tags__some__name= ?product__reviews__none__body= ?product__purchasePrice=1 ?product__purchasePrice__not=1".split(
    " ",
  ),
  ..."?customer__staffNote__not=x ?customer__staffNote=null ?customer__isNot__staffNote=x ?customer__user__isNull=true".split(
    " ",
  ),
  `?customerId__gte=${uuidEnds[0]}`,
  `?customerId__lte=${uuidEnds[1]}`,
  `?customerId__lte=${uuidEnds[1].toUpperCase()}`,
  `?customer__id__gte=${uuidEnds[0]}`,
  `?not[customerId__lt]=${uuidEnds[0]}`,
  ..."?customerId= ?customerId=undefined ?customerId=x ?customerId__not= ?customerId__not=null ?customerId__in= ?customerId__notIn=".split(
    " ",
  ),
  ..."?__proto__=1 ?__proto__[id]=1 ?__proto__.id=1 ?id[__proto__]=1 ?constructor=1 ?constructor[prototype][id]=1 ?prototype=1".split(
    " ",
  ),
  ..."?toString=1 ?hasOwnProperty=1 ?valueOf= ?id[toString]=1 ?id[constructor]=1 ?or[__proto__][id]=1 ?%5f%5fproto%5f%5f[id]=1".split(
    " ",
  ),
  ..."?where[id]=1 ?filter[id]=1 ?filters[id]=1 ?lookup[id]=1 ?ids=1 ?ids[]=1 ?data[id]=1 ?where=%7B%22id%22:1%7D ?$where=1 ?$or[0][id]=1".split(
    " ",
  ),
  ..."?prismaQueryOptions=%7B%7D ?prismaQueryOptions=%7B%22where%22:%7B%22id%22:1%7D%7D ?t1.id=1 ?reviews.id=1 ?Review__id=1".split(
    " ",
  ),
  ..."?id__equals__not=1 ?id__in__in=1 ?id[equals][equals]=1 ?id[_ref]=rating&id[_container]=Review ?ID=1 ?Id=1 ?i%00d=1 ?%69%64=".split(
    " ",
  ),
  ..."?id%5B%5D= ?id%5Bin%5D= ?id%5F%5FisNull=false ?%6fr= ?n%6ft%5Bbody%5D= ?b%6fdy__contains= ?page=1&page=2 ?id=&id= ?body=&body=".split(
    " ",
  ),
  ..."?id=1&nope=1 ?nope=1 ?id=1&page=1 ?id=1&limit=1 ?id=1&sort=id ?id=1&search=x ?id=1&id__nope=2 ?id=1&or= ?rating=5&__proto__=1".split(
    " ",
  ),
  ..."?helpful__not= ?helpful__isNull=false ?helpful__gte=-2147483648 ?helpful__notIn= ?not[helpful__in]= ?not[helpful][notIn]= ?;id=1 ?id;1 ?#".split(
    " ",
  ),
];

/** The same for columns of other types. */
const otherQueries: readonly [string, readonly string[]][] = [
  [
    "products",
    "?price__gte=-99999999.99 ?price__gte=-100000000 ?price__lte=99999999.99 ?price__gt=-100000000 ?not[price__gt]=99999999.99 ?weight__gte=-1.7976931348623157e308 ?keywords__hasEvery= ?keywords__hasSome= ?keywords__has= ?not[keywords__hasSome]= ?keywords__equals= ?channels= ?status__in=DISCONTINUED,DRAFT,ACTIVE,RUNNING_OUT ?not[status__notIn]=DISCONTINUED,DRAFT,ACTIVE,RUNNING_OUT ?purchasePrice__isNull=false ?purchasePrice__gt=0 ?attributes= ?or[0][attributes]= ?description__not= ?not[description]= ?stock__gte=-2147483648 ?channels__isEmpty= ?releasedOn__gte=0001-01-01 ?releasedOn__lte=9999-12-31".split(
      " ",
    ),
  ],
  [
    "suppliers",
    [
      "?country=",
      "?country=%20",
      "?country__contains=",
      "?phones__hasEvery=",
      "?reliability__lte=1.7976931348623157e308",
      `?id__gte=${uuidEnds[0]}`,
    ],
  ],
  [
    "coupons",
    [
      "?code=",
      "?code__gte=",
      "?percent__lte=999.9",
      "?percent__gte=-999.9",
      "?percent__gt=-1000",
      "?usageLimit__in=",
      "?not[code]=",
    ],
  ],
  [
    "product-suppliers",
    ["?productId=", "?productId,supplierId=1", "?leadDays__gte=-32768", `?supplierId__gte=${uuidEnds[0]}`, "?id=1"],
  ],
  [
    "payments",
    [
      "?cardToken__isNull=false",
      "?cardToken__not=x",
      "?amountCents__gte=-9223372036854775808",
      "?amountCents__lte=9223372036854775807",
      "?receipt=",
      "?rate__gte=-99999999999999999999999999999999999.999999999999999999999999999999",
    ],
  ],
];

const change: Readonly<Record<string, string>> = {
  reviews: '{"helpful":4711}',
  products: '{"name":"lost"}',
  suppliers: '{"name":"lost"}',
  coupons: '{"isActive":false}',
  "product-suppliers": '{"leadDays":1}',
  payments: '{"method":"CARD"}',
};

/** Bodies of a bulk delete that identify no row. */
const idBodies = [
  "",
  "null",
  "true",
  "0",
  '""',
  '"all"',
  "[]",
  "{}",
  "[null]",
  "[{}]",
  "[[]]",
  '{"ids":[]}',
  '{"ids":null}',
  '{"ids":{}}',
  '{"ids":""}',
  '{"ids":"1"}',
  '{"ids":1}',
  '{"ids":true}',
  '{"ids":[null]}',
  '{"ids":[""]}',
  '{"ids":[" "]}',
  '{"ids":[[]]}',
  '{"ids":[{}]}',
  '{"ids":[[1]]}',
  '{"ids":[{"id":1}]}',
  '{"ids":["undefined"]}',
  '{"ids":["null"]}',
  '{"ids":["*"]}',
  '{"ids":["%"]}',
  '{"ids":[1.5]}',
  '{"ids":[1e400]}',
  '{"ids":["1 OR 1=1"]}',
  '{"ids":[1,1]}',
  '{"ids":[1,"1"]}',
  '{"ids":[1,null]}',
  '{"ids":[1,999999]}',
  '{"ids":[-1]}',
  '{"ids":[true]}',
  '{"ids":[{"not":0}]}',
  '{"ids":{"not":0}}',
  '{"ids":{"in":[1]}}',
  '{"ids":[1],"id":2}',
  '{"ids":[1],"where":{}}',
  '{"where":{}}',
  '{"where":{"id":1}}',
  '{"id":1}',
  '{"id":{"not":0}}',
  '{"id":null}',
  '{"filter":{"id":1}}',
  '{"data":[1]}',
  '{"Ids":[1]}',
  '{"__proto__":{"ids":[1]}}',
  '{"ids":[1],"__proto__":{"x":1}}',
  '{"constructor":{"ids":[1]}}',
  '{"ids":[{"__proto__":null}]}',
  '{"ids":[1]',
  "ids=1",
]; // prettier-ignore

/** Bodies of a bulk update without a filter that identify no row. */
const itemBodies = [
  "",
  "null",
  "[]",
  "{}",
  "[null]",
  "[{}]",
  "[[]]",
  '[{"helpful":1}]',
  '[{"id":null,"helpful":1}]',
  '[{"id":"","helpful":1}]',
  '[{"id":{},"helpful":1}]',
  '[{"id":{"not":0},"helpful":1}]',
  '[{"id":[1],"helpful":1}]',
  '[{"id":1.5,"helpful":1}]',
  '[{"id":true,"helpful":1}]',
  '[{"id":"undefined","helpful":1}]',
  '[{"id":1,"helpful":1},{"helpful":2}]',
  '{"helpful":4711}',
  '[{"id":1,"helpful":1},{"id":1,"helpful":2}]',
  '[{"id":1,"helpful":1},{"id":"1","helpful":2}]',
  '{"id":1,"helpful":4711}',
  '[{"id":1,"helpful":1},{"id":999999,"helpful":2}]',
  '{"ids":[1],"helpful":4711}',
  '{"data":{"helpful":4711}}',
  '{"where":{},"data":{"helpful":4711}}',
  '{"where":{"id":1},"helpful":4711}',
  '{"data":[]}',
  '{"data":[null]}',
  '[{"__proto__":{"id":1},"helpful":1}]',
  '[{"id":1,"__proto__":{"helpful":1}}]',
  '[{"ID":1,"helpful":1}]',
]; // prettier-ignore

describe("C14 a bulk change without a criterion", () => {
  const queries: readonly (readonly [string, string])[] = [
    ...reviewQueries.map((query) => ["reviews", query] as const),
    ...otherQueries.flatMap(([path, some]) => some.map((query) => [path, query] as const)),
  ];

  it(`is rejected in ${queries.length} notations of a query, and changes no row`, async () => {
    expect(queries.length).toBeGreaterThan(250);
    const before = await checksum();
    const passed: string[] = [];
    for (const [path, query] of queries) {
      for (const method of ["DELETE", "PATCH"]) {
        const { status, text } = await send(
          method,
          `/${path}/many${query}`,
          method === "PATCH" ? change[path] : undefined,
        );
        // An empty list of ids, and valid values that no row has, return a count of zero.
        const isNone = status === 200 && JSON.parse(text).meta.count === 0;
        if ((status < 400 || status >= 500) && !isNone)
          passed.push(`${method} ${path}${query} ${status} ${text.slice(0, 80)}`);
        if (isNone) expect(`${method} ${query}`).toMatch(/isNull=true|__in=|hasSome=|\[in\]|notIn|title|=x/);
      }
    }
    expect(passed).toEqual([]);
    expect(await checksum()).toEqual(before);
  });

  it(`is rejected in ${idBodies.length + itemBodies.length} bodies, and changes no row`, async () => {
    const before = await checksum();
    const passed: string[] = [];
    for (const [method, bodies] of [
      ["DELETE", idBodies],
      ["PATCH", itemBodies],
    ] as const) {
      for (const body of bodies) {
        const { status } = await send(method, "/reviews/many", body === "" ? undefined : body);
        if (status < 400 || status >= 500) passed.push(`${method} ${body} ${status}`);
      }
    }
    expect(passed).toEqual([]);
    expect(await checksum()).toEqual(before);
  });

  it("is rejected with a criterion in the query and ids in the body, and vice versa", async () => {
    const before = await checksum();
    for (const [method, query, body] of [
      ["DELETE", "?id=1", '{"ids":[2]}'],
      ["DELETE", "?id=1", "[2]"],
      ["PATCH", "?id=1", '[{"id":2,"helpful":1}]'],
      ["PATCH", "?id=1", "[]"],
      ["PATCH", "?id=1", "{}"],
      ["PATCH", "?id=1", '{"id":7}'],
    ] as const) {
      const { status, text } = await send(method, `/reviews/many${query}`, body);
      expect(status === 400 || text.includes('"count":1'), `${method} ${query} ${body} ${status} ${text}`).toBe(true);
    }
    expect(await checksum()).toEqual(before);
  });
});
