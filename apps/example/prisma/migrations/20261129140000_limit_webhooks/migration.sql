-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "created_by" TEXT;

-- CreateIndex
CREATE INDEX "webhook_deliveries_webhook_id_event_idx" ON "webhook_deliveries"("webhook_id", "event");
