export { makeShopClient, type Schemas, type ShopClient } from "./shop-client.js";
