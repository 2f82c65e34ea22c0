-- AlterTable
ALTER TABLE "reviews" ADD COLUMN     "helpful" INTEGER NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "orders_status_placed_at_idx" ON "orders"("status", "placed_at");
