-- CreateTable
CREATE TABLE "auth_keys" (
    "id" CHAR(24) NOT NULL,
    "user_id" INTEGER NOT NULL,
    "name" VARCHAR(80) NOT NULL,
    "hash" VARCHAR(43) NOT NULL,
    "previous_hash" VARCHAR(43),
    "previous_until" TIMESTAMP(3),
    "roles" TEXT[],
    "permissions" TEXT[],
    "addresses" TEXT[],
    "created_at" TIMESTAMP(3) NOT NULL,
    "expires_at" TIMESTAMP(3),
    "last_used_at" TIMESTAMP(3),

    CONSTRAINT "auth_keys_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "auth_keys_user_id_idx" ON "auth_keys"("user_id");

-- AddForeignKey
ALTER TABLE "auth_keys" ADD CONSTRAINT "auth_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
