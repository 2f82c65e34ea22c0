import express from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { addressOf, clientAddress, clientNetwork, makeRateLimiter } from "../src/internal.js";

const app = express();
app.set("trust proxy", 1);
app.get("/addresses", (requested, response) => {
  response.json([addressOf(requested), clientAddress(requested), clientNetwork(requested)]);
});

describe("the address of a client behind a proxy", () => {
  it.each([
    ["1.2.3.4", ["1.2.3.4", "1.2.3.4", "1.2.3.4"]],
    ["1.2.3.4:5001", ["1.2.3.4", "1.2.3.4", "1.2.3.4"]],
    ["2001:db8:1:2ff::1", ["2001:db8:1:2ff::1", "2001:db8:1:200::/56", "2001:db8:1:2ff::/64"]],
    ["[2001:db8:1:2ff::1]", ["2001:db8:1:2ff::1", "2001:db8:1:200::/56", "2001:db8:1:2ff::/64"]],
    ["[2001:db8:1:2ff::1]:443", ["2001:db8:1:2ff::1", "2001:db8:1:200::/56", "2001:db8:1:2ff::/64"]],
    ["[::ffff:1.2.3.4]:443", ["::ffff:1.2.3.4", "1.2.3.4", "1.2.3.4"]],
    ["::ffff:1.2.3.4", ["::ffff:1.2.3.4", "1.2.3.4", "1.2.3.4"]],
    ["1.2.3.4:", ["1.2.3.4:", "1.2.3.4:", "1.2.3.4:"]],
    ["host:80", ["host:80", "host:80", "host:80"]],
  ])("C79 does not depend on the port in X-Forwarded-For: %s", async (header, addresses) => {
    const { body } = await request(app).get("/addresses").set("X-Forwarded-For", header);
    expect(body).toEqual(addresses);
  });

  it("C79 C43 counts the requests of a client together, whatever ports its proxy reports", async () => {
    const limited = express();
    limited.set("trust proxy", 1);
    limited.use(makeRateLimiter({ limit: 2 }));
    limited.get("/", (_request, response) => void response.json({}));
    limited.use(((_error, _request, response, _next) => void response.sendStatus(429)) as express.ErrorRequestHandler);
    const statuses: number[] = [];
    for (const address of [
      "1.2.3.4:5001",
      "1.2.3.4:5002",
      "1.2.3.4",
      "[2001:db8::1]:1",
      "[2001:db8::1]:2",
      "2001:db8::2",
    ])
      statuses.push((await request(limited).get("/").set("X-Forwarded-For", address)).status);
    expect(statuses).toEqual([200, 200, 429, 200, 200, 429]);
  });
});
