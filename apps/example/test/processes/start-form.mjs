// Starts the shop in the working directory: with what a file there says, or with an object. Prints where it listens.
import service from "@servicekit/service";

const [form, told = "{}"] = process.argv.slice(2);
const { makeShopConfig } = form === "init" ? await import("../../dist/app.js") : {};
const { url, config } = await service.init(makeShopConfig && { ...makeShopConfig(), ...JSON.parse(told) });
console.log(`listening ${url} ${config.file ?? "without a file"}`);
