import { openMetrics } from "../../src/index.js";
import express from "express";

const metrics = await openMetrics(
  { path: "/metrics", authentication: false },
  { routeOf: (request) => request.route?.path },
);
const app = express();
app.use(...metrics.handlers);
for (const router of metrics.routers) app.use(router);
app.get("/books/:id", (request, response) => {
  response.json({ id: request.params.id });
});

const server = app.listen(31093);
for (const id of [7, 8]) await (await fetch(`http://localhost:31093/books/${id}`)).text();
const page = await (await fetch("http://localhost:31093/metrics")).text();
console.log(page.split("\n").find((line) => line.startsWith("http_request_duration_seconds_count")));
server.close();
