import { once } from "node:events";
import { connect } from "node:net";
import { loadSeed } from "../logins/with-accounts.js";
import type { FloodRequest, Kind } from "./send-open-loop.js";

/** The loads: `mix` is typical for a shop, `light` contains only the cheapest reads. */
export interface ShopRequests {
  readonly mix: readonly FloodRequest[];
  readonly light: readonly FloodRequest[];
  readonly login: FloodRequest;
}

/** The kinds of a thousand requests of the mix. */
export const shares = {
  "lists of products with their total": 250,
  "lists of reviews with their products": 100,
  "orders of the current user with their items": 100,
  "products with category and tags": 200,
  products: 201,
  "updates of a product": 90,
  "new stock movements": 54,
  "readiness probes": 5,
} as const;

/**
 * The requests of the shop with signed-in clients: 1,000 of the mix in its shares, in the same order in each run, and 80
 * light ones.
 *
 * @throws {Error} if one of them fails
 */
export async function shopRequests(port: number): Promise<ShopRequests> {
  const { seedPassword } = await loadSeed();
  const login = request("POST", "/api/auth/login", {
    kind: "login",
    body: { username: "ben", password: seedPassword },
  });
  const tokenOf = async (username: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username, password: seedPassword }),
    });
    return ((await response.json()) as { accessToken: string }).accessToken;
  };
  const customer = await tokenOf("ben");
  const staff = await tokenOf("root");
  const list = (at: number): string =>
    `/api/products?status=ACTIVE&price[gte]=${10 + (at % 20)}.50&sort=-price&limit=20&page=${1 + (at % 4)}`;
  const make: Readonly<Record<keyof typeof shares, (at: number) => FloodRequest>> = {
    "lists of products with their total": (at) => request("GET", list(at)),
    "lists of reviews with their products": (at) =>
      request("GET", `/api/reviews?include=product&sort=-id&limit=20&page=${1 + (at % 4)}`),
    "orders of the current user with their items": (at) =>
      request("GET", `/api/orders?include=items&limit=20&sort=-id&page=${1 + (at % 2)}`, { token: customer }),
    "products with category and tags": (at) => request("GET", `/api/products/${1 + (at % 20)}?include=category,tags`),
    products: (at) => request("GET", `/api/products/${1 + (at % 20)}`),
    "updates of a product": (at) =>
      request("PATCH", `/api/products/${1 + (at % 20)}`, {
        token: staff,
        body: { weight: 0.25 + (at % 9), price: `${20 + (at % 50)}.95`, description: `Checked for the ${at}th time.` },
      }),
    "new stock movements": (at) =>
      request("POST", "/api/stock-movements", {
        token: staff,
        body: { reason: "DELIVERY", quantity: 1 + (at % 9), note: "From the harbour.", productId: 1 + (at % 20) },
      }),
    "readiness probes": () => request("GET", "/api/health/ready", { kind: "probe" }),
  };
  const mix = Object.entries(shares).flatMap(([name, count]) =>
    Array.from({ length: count }, (_, at) => make[name as keyof typeof shares](at)),
  );
  for (const name of Object.keys(shares)) await check(port, name, make[name as keyof typeof shares](0));
  const light = Array.from({ length: 20 }, (_, at) => [
    request("GET", list(at)),
    request("GET", `/api/products/${1 + at}`),
    request("GET", `/api/reviews?include=product&limit=20&page=${1 + (at % 4)}`),
    request("GET", `/api/orders?limit=20&sort=-id&page=${1 + (at % 4)}`, { token: customer }),
  ]).flat();
  return { mix: shuffled(mix), light, login };
}

async function check(port: number, name: string, { text }: FloodRequest): Promise<void> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  socket.write(text, "latin1");
  const [reply] = (await once(socket, "data")) as [string];
  socket.destroy();
  if (!/^HTTP\/1.1 20[01] /.test(reply)) throw new Error(`${name}: ${reply}`);
}

interface More {
  readonly kind?: Kind;
  readonly token?: string;
  readonly body?: object;
}

function request(method: string, target: string, { kind = "other", token, body }: More = {}): FloodRequest {
  const text = body === undefined ? "" : JSON.stringify(body);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "Host: shop",
    "Accept: application/json",
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === undefined ? [] : ["Content-Type: application/json", `Content-Length: ${text.length}`]),
  ];
  return { kind, text: `${lines.join("\r\n")}\r\n\r\n${text}` };
}

/** Shuffled in the same order in each run: by steps of a number without a common factor with 1,000. */
const shuffled = (requests: readonly FloodRequest[]): readonly FloodRequest[] =>
  requests.map((_, at) => requests[(at * 377) % requests.length] as FloodRequest);
