-- AlterTable
ALTER TABLE "suppliers" ADD COLUMN     "logo" VARCHAR(200);
