import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Chinook, hasChinook, startChinook } from "./chinook.js";

describe.skipIf(!hasChinook)("Chinook", () => {
  let chinook: Chinook;
  beforeAll(async () => {
    chinook = await startChinook(inject("postgresUrl"));
  });
  afterAll(() => chinook?.close());

  const call = async (method: string, path: string, body?: unknown) => {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${chinook.service.url}/api${path}`, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
  };
  const get = (path: string) => call("GET", path);

  it("C1 counts all 3503 tracks", async () => {
    const { status, body } = await get("/tracks");
    expect(status).toBe(200);
    expect(body.meta).toEqual({ total: 3503, count: 20, limit: 20, page: 1, pages: 176 });
    expect(body.data).toHaveLength(20);
  });

  it("C8 filters, sorts, limits and includes like SQL", async () => {
    const { body } = await get(
      "/tracks?genre__name=Rock&milliseconds__gte=300000&sort=-milliseconds&limit=5&include=album.artist",
    );
    const rows = await chinook.sql(`
      SELECT t.track_id, t.name, t.milliseconds, t.unit_price, al.title, ar.name AS artist
      FROM track t JOIN genre g USING (genre_id) JOIN album al USING (album_id) JOIN artist ar USING (artist_id)
      WHERE g.name = 'Rock' AND t.milliseconds >= 300000 ORDER BY t.milliseconds DESC, t.track_id LIMIT 5`);
    const total = await chinook.sql(
      "SELECT count(*)::int AS n FROM track JOIN genre g USING (genre_id) WHERE g.name = 'Rock' AND milliseconds >= 300000",
    );
    interface Shown {
      readonly id: number;
      readonly name: string;
      readonly milliseconds: number;
      readonly unitPrice: string;
      readonly album: { readonly title: string; readonly artist: { readonly name: string } };
    }
    const shown = body.data.map(({ id, name, milliseconds, unitPrice, album }: Shown) => {
      const { title, artist } = album;
      return { track_id: id, name, milliseconds, unit_price: unitPrice, title, artist: artist.name };
    });
    expect(shown).toEqual(rows);
    expect(body.meta.total).toBe(total[0]?.n);
  });

  it("C7 reads a row by its compound id", async () => {
    expect((await get("/playlist-tracks/1,3402")).body).toEqual({ data: { playlistId: 1, trackId: 3402 } });
    expect((await get("/playlist-tracks/1,999999")).status).toBe(404);
    expect((await get("/playlist-tracks/1")).status).toBe(404);
  });

  it("C4 sums the totals of all invoices to 2328.60 over all pages", async () => {
    let cents = 0;
    let pages = 1;
    for (let page = 1; page <= pages; page++) {
      const { body } = await get(`/invoices?limit=100&page=${page}`);
      pages = body.meta.pages;
      for (const { total } of body.data) cents += Math.round(Number(total) * 100);
    }
    expect(pages).toBe(5);
    expect(cents).toBe(232860);
  });

  it("C10 filters employees by the name of their manager", async () => {
    const { body } = await get("/employees?manager__firstName=Nancy&sort=lastName");
    const rows = await chinook.sql(`SELECT e.last_name FROM employee e JOIN employee m ON m.employee_id = e.reports_to
      WHERE m.first_name = 'Nancy' ORDER BY e.last_name, e.employee_id`);
    expect(body.data.map(({ lastName }: { lastName: string }) => lastName)).toEqual(
      rows.map(({ last_name: name }) => name),
    );
    expect(body.data).toHaveLength(3);
  });

  it("C2 serves all eight operations of a model", async () => {
    const created = await call("POST", "/playlists", { name: "Mornings" });
    expect(created.status).toBe(201);
    const location = created.headers.get("location") ?? "";
    expect(location).toBe(`/api/playlists/${created.body.data.id}`);
    const path = location.slice("/api".length);
    expect((await get(path)).body).toEqual({ data: { id: created.body.data.id, name: "Mornings" } });
    const updated = await call("PATCH", path, { name: "Evenings" });
    expect([updated.status, updated.body.data.name]).toEqual([200, "Evenings"]);
    expect((await get("/playlists?name=Evenings")).body.meta.total).toBe(1);

    const many = await call("POST", "/playlists/many", [{ name: "Bulk 1" }, { name: "Bulk 2" }]);
    expect([many.status, many.body.meta]).toEqual([201, { count: 2 }]);
    const ids = many.body.data.map(({ id }: { id: number }) => id);
    const changed = await call("PATCH", "/playlists/many", [
      { id: ids[0], name: "Bulk A" },
      { id: ids[1], name: "Bulk B" },
    ]);
    expect([changed.status, changed.body.data.map(({ name }: { name: string }) => name)]).toEqual([
      200,
      ["Bulk A", "Bulk B"],
    ]);
    const byFilter = await call("PATCH", "/playlists/many?name__startsWith=Bulk", { name: "Bulk" });
    expect([byFilter.status, byFilter.body.meta]).toEqual([200, { count: 2 }]);
    const deleted = await call("DELETE", "/playlists/many", { ids });
    expect([deleted.status, deleted.body]).toEqual([200, { meta: { count: 2 } }]);
    const gone = await call("DELETE", path);
    expect([gone.status, gone.body]).toEqual([204, undefined]);
    expect((await get(path)).status).toBe(404);
    expect(await chinook.sql("SELECT count(*)::int AS n FROM playlist")).toEqual([{ n: 18 }]);
  });

  it("C17 rejects deleting an artist who has albums, and changes nothing", async () => {
    const { status, body } = await call("DELETE", "/artists/1");
    expect([status, body.code]).toEqual([409, "ForeignKeyConstraint"]);
    expect((await get("/artists/1")).status).toBe(200);
  });
});
