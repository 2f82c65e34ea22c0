import type { Shelf } from "./shelf.js";

/** A small library with NULL in every nullable place. */
export async function seedBooks(shelf: Shelf): Promise<void> {
  await shelf.sql(`INSERT INTO "Publisher" (id, "full name", city, secret) VALUES
    (1, 'Alpha', 'Bern', 'x'), (2, 'Beta, Sons', NULL, 'y'), (3, 'Gamma', 'Rome', 'z')`);
  await shelf.sql(`INSERT INTO "Book"
    (id, title, subtitle, isbn, pages, score, price, "publishedAt", size, "publisherId", "seriesOf", "updatedAt") VALUES
    (1, 'One', NULL, 'i1', 100, 1.5, 10.00, '2001-01-01', 'a small one', 1, NULL, now()),
    (2, 'Two', 'a,b', 'i2', 200, NULL, NULL, '2002-01-01', 'MEDIUM', 1, 1, now()),
    (3, 'Three', '', NULL, NULL, 3.5, 12.50, NULL, 'XL', 2, 1, now()),
    (4, 'four', 'null', 'i4', 400, 4.5, 0, '2004-01-01', NULL, NULL, 2, now()),
    (5, 'FIVE', '100%', 'i5', 500, -1, 99.99, '1999-12-31', 'XL', 3, NULL, now()),
    (6, 'One', 'x', NULL, 100, 0, 10.00, NULL, NULL, 1, NULL, now())`);
  await shelf.sql(`INSERT INTO "Cover" (id, color, "bookId") VALUES
    ('6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11', 'red', 1), ('6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a12', 'blue', 2),
    ('6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a13', 'red', 5)`);
  await shelf.sql(`INSERT INTO "Tag" (name) VALUES ('a'), ('b'), ('c')`);
  await shelf.sql(`INSERT INTO "_BookToTag" ("A", "B") VALUES (1, 'a'), (1, 'b'), (2, 'a'), (3, 'b'), (5, 'c')`);
  await shelf.sql(`INSERT INTO "Writer" (id, name) VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Cid')`);
  await shelf.sql(`INSERT INTO "Authorship" ("bookId", "writerId", share) VALUES
    (1, 1, 100), (2, 1, 50), (2, 2, 50), (3, 2, 10), (4, 3, 100)`);
  await shelf.sql(`INSERT INTO "Payment" (id, amount, "bookId", "writerId") VALUES
    (1, 5.00, 1, 1), (2, 7.50, 2, 1), (3, 9.99, 2, 2), (4, 100, 4, 3)`);
  await shelf.sql(`SELECT setval(pg_get_serial_sequence('"Book"', 'id'), 1000), setval(pg_get_serial_sequence('"Publisher"', 'id'), 1000),
    setval(pg_get_serial_sequence('"Writer"', 'id'), 1000), setval(pg_get_serial_sequence('"Payment"', 'id'), 1000)`);
}
