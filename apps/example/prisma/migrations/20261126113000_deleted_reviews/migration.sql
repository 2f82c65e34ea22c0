-- AlterTable
ALTER TABLE "reviews" ADD COLUMN     "deleted_at" TIMESTAMP(3);

-- A deleted review does not prevent a new one of the same customer.
DROP INDEX "reviews_product_id_customer_id_key";
CREATE UNIQUE INDEX "reviews_product_id_customer_id_key" ON "reviews"("product_id", "customer_id") WHERE "deleted_at" IS NULL;
