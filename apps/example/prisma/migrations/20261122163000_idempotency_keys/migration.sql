-- CreateTable
CREATE TABLE "idempotency_keys" (
    "id" CHAR(43) NOT NULL,
    "fingerprint" CHAR(43) NOT NULL,
    "holder" UUID NOT NULL,
    "response" TEXT,
    "expires_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");
