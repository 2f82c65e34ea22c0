import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Chinook, hasChinook, startChinook } from "./chinook.js";

describe.skipIf(!hasChinook)("Chinook's relations in bodies", () => {
  let chinook: Chinook;
  beforeAll(async () => {
    chinook = await startChinook(inject("postgresUrl"), { models: { Invoice: { writable: ["lines"] } } });
    // The store's data have their own ids.
    await chinook.sql("SELECT setval(pg_get_serial_sequence('invoice', 'invoice_id'), 1000)");
    await chinook.sql("SELECT setval(pg_get_serial_sequence('invoice_line', 'invoice_line_id'), 10000)");
  });
  afterAll(() => chinook?.close());

  const call = async (method: string, path: string, body: unknown) => {
    const headers = { "content-type": "application/json" };
    const init = { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${chinook.service.url}/api${path}`, init);
    return { status: response.status, body: await response.json() };
  };
  const counts = () =>
    chinook.sql(
      "SELECT (SELECT count(*)::int FROM invoice) AS invoices, (SELECT count(*)::int FROM invoice_line) AS lines",
    );
  const line = (trackId: number) => ({ trackId, unitPrice: "0.99", quantity: 1 });
  const invoice = (...lines: object[]) => ({
    customer: { id: 1 },
    invoiceDate: "2026-01-31T00:00:00Z",
    total: "1.90",
    lines,
  });

  it("C13 creates an invoice with two lines in one request", async () => {
    const { status, body } = await call(
      "POST",
      "/invoices",
      invoice(line(1), { ...line(2), trackId: undefined, track: { id: 2 } }),
    );
    expect([status, body.data.customerId, body.data.total]).toEqual([201, 1, "1.90"]);
    const rows = await chinook.sql(
      `SELECT track_id FROM invoice_line WHERE invoice_id = ${Number(body.data.id)} ORDER BY invoice_line_id`,
    );
    expect(rows).toEqual([{ track_id: 1 }, { track_id: 2 }]);
  });

  it("C13 rolls back the complete invoice if its second line references a missing track", async () => {
    const before = await counts();
    const { status, body } = await call("POST", "/invoices", invoice(line(1), line(999_999)));
    expect([status, body.code]).toEqual([400, "RelatedRecordNotFound"]);
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(["/lines/1/trackId"]);
    const many = await call("POST", "/invoices/many", [invoice(line(1)), invoice(line(2), line(999_999))]);
    expect(many.body.errors.map(({ path }: { path: string }) => path)).toEqual(["/1/lines/1/trackId"]);
    expect(await counts()).toEqual(before);
  });

  it("C13 connects an artist's albums, and does not create them unless the configuration allows it", async () => {
    const moved = await call("PATCH", "/artists/1", { albums: [{ id: 2 }] });
    expect(moved.status).toBe(200);
    expect(await chinook.sql("SELECT artist_id FROM album WHERE album_id = 2")).toEqual([{ artist_id: 1 }]);
    const made = await call("PATCH", "/artists/1", { albums: [{ title: "New" }] });
    expect([made.status, made.body.errors[0].path]).toEqual([400, "/albums/0"]);
  });
});
