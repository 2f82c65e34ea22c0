import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./generated/shop-api.js";

/** The JSON of routes that also return files, and their errors. */
type Json = "application/json" | "application/problem+json";

/** The shop's API with the types of its document: paths, parameters, bodies and responses. */
export type ShopClient = Client<paths, Json>;

/** The named schemas of the document, such as `Schemas["TagCreate"]`. */
export type Schemas = components["schemas"];

/** A client of a running shop. */
export const makeShopClient = (baseUrl: string): ShopClient => createClient<paths, Json>({ baseUrl });
