import type { ApiShape, RoutesShape } from "./api/api.js";
import { isApiError } from "./requests/api-error.js";
import { type AuthClient, makeCaller, type UserOf } from "./requests/auth-client.js";
import { type RouteCall, writeRouteCall } from "./requests/route-call.js";
import { type CallOptions, makeSend, type Send, type SendOptions } from "./requests/send.js";
import { makeUpload, type UploadedFile } from "./requests/upload.js";
import { type EntityTags, makeResource } from "./resources/make-resource.js";
import type { ResourceClient } from "./resources/resource-client.js";

/** No route is declared. */
type NoRoutes = Record<never, never>;

/** The members of every client besides its models. */
export interface ServiceClient<Api, Routes extends RoutesShape<Routes>> {
  readonly auth: AuthClient<UserOf<Api>>;
  /** Calls a declared route and returns the complete body of its response. */
  route<Route extends keyof Routes & string>(
    route: Route,
    ...call: NoRoutes extends RouteCall<Route, Routes[Route]>
      ? [call?: RouteCall<Route, Routes[Route]>]
      : [call: RouteCall<Route, Routes[Route]>]
  ): Promise<Routes[Route]["response"]>;
  /** Uploads files to a category, such as `images`. */
  upload(category: string, files: readonly Blob[], options?: CallOptions): Promise<{ data: UploadedFile[] }>;
}

/** A client of a service: its models by resource name, its declared routes, authentication and uploads. */
export type Client<Api extends ApiShape<Api>, Routes extends RoutesShape<Routes> = NoRoutes> = ServiceClient<
  Api,
  Routes
> & {
  readonly [Resource in keyof Api]: ResourceClient<Api, Resource>;
};

/**
 * Creates a client of a service (contract C74). The types of the models come from the output of `servicekit-prisma`,
 * those of declared routes from a type of yours.
 *
 * @example
 * const shop = makeClient<Api>({ baseUrl: "https://shop.example", credentials: "include" });
 * const { data } = await shop.products.list({ where: { price: { lt: 20 } }, fields: ["id", "name"] });
 * @throws {ApiError} from every rejected operation; the error of `fetch` if there is no response
 */
export function makeClient<Api extends ApiShape<Api>, Routes extends RoutesShape<Routes> = NoRoutes>(
  options: SendOptions = {},
): Client<Api, Routes> {
  const plain: Send = makeSend(options, () => caller.authorization());
  const caller = makeCaller(plain);
  const send: Send = async (sent) => {
    try {
      return await plain(sent);
    } catch (error) {
      if (!isApiError(error) || error.status !== 401 || !(await caller.renew())) throw error;
      return plain(sent);
    }
  };
  const tags: EntityTags = new Map();
  const made = new Map<string, unknown>(
    Object.entries({
      auth: { ...caller.acts, me: async () => (await send({ method: "GET", path: "/api/users/me" })).json },
      route: async (route: string, call?: object) => (await send(writeRouteCall(route, call))).json,
      upload: makeUpload(send),
    }),
  );
  return new Proxy({} as Client<Api, Routes>, {
    get(_client, name) {
      // `await` on a client must not treat it as a promise.
      if (typeof name !== "string" || name === "then") return undefined;
      if (!made.has(name)) made.set(name, makeResource(pathOf(name), send, tags));
      return made.get(name);
    },
  });
}

/** The generator names resources by their paths, in camel case: `productImages` is at `/api/product-images`. */
const pathOf = (name: string): string => `/api/${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
