-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "created_by" TEXT;
