-- AlterTable
ALTER TABLE "products" DROP COLUMN "search_vector";

-- AlterTable
ALTER TABLE "products" ADD COLUMN "search_vector" tsvector GENERATED ALWAYS AS ((setweight(to_tsvector('english', replace(regexp_replace(left(coalesce("name"::text, ''), 100000) COLLATE "C", '([^ \t\n\r\f\v]{100}(?=[^ \t\n\r\f\v]))', '\1 ', 'g'), '<!--', ' ')), 'A') || setweight(to_tsvector('english', replace(regexp_replace(left(coalesce("description"::text, ''), 100000) COLLATE "C", '([^ \t\n\r\f\v]{100}(?=[^ \t\n\r\f\v]))', '\1 ', 'g'), '<!--', ' ')), 'B'))) STORED;
CREATE INDEX products_search_vector_idx ON public.products USING gin (search_vector);
COMMENT ON COLUMN "products"."search_vector" IS 'search 29c42dc9';
