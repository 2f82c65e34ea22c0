// Starts the shop in the working directory, configured by a file there or by an object. Prints its URL.
import service from "@servicekit/service";

const [form, reported = "{}"] = process.argv.slice(2);
const { makeShopConfig } = form === "init" ? await import("../../dist/app.js") : {};
const { url, config } = await service.init(makeShopConfig && { ...makeShopConfig(), ...JSON.parse(reported) });
console.log(`listening ${url} ${config.file ?? "without a file"}`);
