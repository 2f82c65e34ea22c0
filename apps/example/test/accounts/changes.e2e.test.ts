import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MailServer, openMailServer } from "../../../../packages/mailer/test/mail-server.js";
import { readEvents } from "../../../../packages/service/test/event-reader.js";
import { openReceiver, type Receiver } from "../../../../packages/webhooks/test/receiver.js";
import cancelUnpaidOrders from "../../src/jobs/cancel-unpaid-orders.job.js";
import {
  type AccountDatabase,
  type AccountShop,
  type AccountShopOptions,
  bearer,
  createAccountDatabase,
  startAccounts,
} from "./account-shop.js";

describe("changes of orders in the shop", () => {
  let mailServer: MailServer;
  let receiver: Receiver;
  let database: AccountDatabase;
  let shop: AccountShop;
  /** The id of an order of Ada that is paid. */
  let id: number;
  let customerId: string;

  beforeAll(async () => {
    mailServer = await openMailServer();
    receiver = await openReceiver();
    database = await createAccountDatabase();
    const config: AccountShopOptions["config"] = {
      email: mailServer.settings,
      webhooks: { allow: ["127.0.0.1"] },
    };
    shop = await startAccounts({ database, accounts: "static", config });
    await shop.service.runJobs();
    ({ orderId: id, customerId } = await database.own("ada"));
    await database.client.order.update({ where: { id }, data: { status: "PAID", shippedAt: null } });
    await database.client.product.updateMany({ data: { stock: 100 } });
  });
  afterAll(async () => {
    await shop?.close();
    await receiver?.close();
    await mailServer?.close();
    await database?.drop();
  });

  it("a shipment is in the history and in live updates of its customer, in a webhook, and in an email", async () => {
    const made = await fetch(`${shop.url}/api/webhooks`, {
      method: "POST",
      headers: { ...bearer(await shop.tokenOf("root")), "content-type": "application/json" },
      body: JSON.stringify({ url: receiver.url, events: ["order.updated"] }),
    });
    expect(made.status).toBe(201);
    const { data: webhook } = (await made.json()) as { data: { secret: string } };
    const at = `${shop.url}/api/orders/events?fields=id,status`;
    const ofAda = await readEvents(at, bearer(await shop.tokenOf("ada")));
    const ofBen = await readEvents(at, bearer(await shop.tokenOf("ben")));
    expect((await shop.as("will", "POST", `/api/orders/${id}/ship`)).status).toBe(200);

    expect(await ofAda.take(1)).toEqual([["updated", { id, status: "SHIPPED" }]]);
    const { orderId: ofOther } = await database.own("ben");
    await shop.as("will", "PATCH", `/api/orders/${ofOther}`, { status: "PENDING" });
    await shop.as("will", "PATCH", `/api/orders/${ofOther}`, { status: "PAID" });
    // The shipment came earlier, and is not among them.
    expect((await ofBen.take(1))[0]?.[1]).toMatchObject({ id: ofOther });

    const history = await shop.as<{ data: object[] }>("ada", "GET", `/api/orders/${id}/history`);
    const will = await database.client.user.findUniqueOrThrow({ where: { username: "will" } });
    expect(history.body.data).toEqual([
      expect.objectContaining({ operation: "update", actor: `user:${will.id}`, changed: ["status", "shippedAt"] }),
    ]);
    expect(history.text).not.toContain("clientIp");
    await expect.poll(() => receiver.received).toHaveLength(3);
    const [first] = receiver.received;
    const message = new Webhook(webhook.secret).verify(first?.body ?? "", first?.headers as never);
    expect(message).toMatchObject({ type: "order.updated", data: { id, status: "SHIPPED" } });

    await expect.poll(() => mailServer.mails).toHaveLength(1);
    const { email } = await database.client.customer.findUniqueOrThrow({ where: { id: customerId } });
    expect(mailServer.mails[0]).toMatchObject({ to: [email], raw: expect.stringContaining("is on its way") });
    ofAda.close();
    ofBen.close();
  });

  it("a shipment that fails leaves no change and no email", async () => {
    const { orderId } = await database.own("ben");
    await database.client.order.update({ where: { id: orderId }, data: { status: "PAID" } });
    await database.client.product.updateMany({ data: { stock: 0 } });
    const before = await database.client.change.count();
    expect((await shop.as("will", "POST", `/api/orders/${orderId}/ship`)).status).toBe(409);
    expect(await database.client.change.count()).toBe(before);
    const jobs = await database.client.$queryRaw`
      SELECT FROM servicekit_jobs.job WHERE name = 'shipment-mail' AND (data -> 'payload' ->> 'orderId')::int = ${orderId}`;
    expect(jobs).toEqual([]);
  });

  it("a delivered order earns its customer points, and a returned one loses them", async () => {
    const points = async () =>
      Number((await database.client.customer.findUniqueOrThrow({ where: { id: customerId } })).loyaltyPoints);
    const before = await points();
    const { total } = await database.client.order.findUniqueOrThrow({ where: { id } });
    await shop.as("will", "PATCH", `/api/orders/${id}`, { status: "DELIVERED" });
    await expect.poll(points).toBe(before + Math.floor(Number(total)));
    await shop.as("will", "PATCH", `/api/orders/${id}`, { status: "RETURNED" });
    await expect.poll(points).toBe(before);
  });

  it("a job cancels orders that were not paid, and its changes are recorded", async () => {
    const where = { status: "PENDING" } as const;
    const [recent, ...old] = await database.client.order.findMany({ where, select: { id: true } });
    await database.client.order.updateMany({ where: { id: recent?.id ?? 0 }, data: { placedAt: new Date() } });
    await shop.service.jobs.send(cancelUnpaidOrders, undefined);
    await expect.poll(() => database.client.order.findMany({ where, select: { id: true } })).toEqual([recent]);
    const changes = await database.client.change.findMany({ where: { actor: "job:cancel-unpaid-orders" } });
    expect(changes.map(({ key }) => Number(key)).sort()).toEqual(old.map((order) => order.id).sort());
  });
});
