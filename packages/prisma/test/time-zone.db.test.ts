import { expect, inject, it } from "vitest";
import { openKinds } from "./kinds.js";

it("C4 a date-time is the same whatever the time zone of the database", async () => {
  const kinds = await openKinds(inject("postgresUrl"));
  const [found] = await kinds.sql("SELECT current_database() AS name");
  await kinds.sql(`ALTER DATABASE "${found?.name}" SET timezone TO 'Asia/Kathmandu'`);
  const natives = kinds
    .open({ url: `${kinds.url}?options=${encodeURIComponent("-c application_name=kept")}` })
    .of("Native");
  const data = {
    timestamptz: new Date("2024-02-29T12:00:00.123Z"),
    timetz: new Date("1970-01-01T10:00:00.000Z"),
    timestamp: new Date("2024-02-29T12:00:00.123Z"),
  };
  const select = { timestamptz: true, timetz: true, timestamp: true };
  const { id, ...created } = await natives.create({ data, select: { id: true, ...select } });
  expect(created).toEqual(data);
  const isSame = `timestamptz = '2024-02-29T12:00:00.123Z' AND timetz = '10:00:00+00' AND timestamp = '2024-02-29T12:00:00.123'`;
  expect(await kinds.sql(`SELECT ${isSame} AS "isSame" FROM "Native"`)).toEqual([{ isSame: true }]);
  await kinds.sql(`UPDATE "Native" SET timestamptz = '2024-06-01T00:00:00+02:00'`);
  expect(await natives.findUnique({ where: { id }, select: { timestamptz: true } })).toEqual({
    timestamptz: new Date("2024-05-31T22:00:00Z"),
  });
  const [stored] = await kinds.sql(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'kept'",
  );
  expect(stored).toEqual({ count: 1 });
  await kinds.close();
});
