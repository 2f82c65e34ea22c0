-- AlterTable
ALTER TABLE "products" ADD COLUMN     "search_vector" tsvector GENERATED ALWAYS AS ((setweight(to_tsvector('english', left(coalesce("name"::text, ''), 100000)), 'A') || setweight(to_tsvector('english', left(coalesce("description"::text, ''), 100000)), 'B'))) STORED;

-- CreateIndex
CREATE INDEX "products_search_vector_idx" ON "products" USING GIN ("search_vector");

-- Comment
COMMENT ON COLUMN "products"."search_vector" IS 'search 8c8e7990';
