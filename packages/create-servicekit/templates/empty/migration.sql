-- CreateTable
CREATE TABLE `Note` (
    `id` INTEGER NOT NULL AUTO_INCREMENT,
    `text` VARCHAR(2000) NOT NULL,
    `internal` TEXT NULL,
    `createdAt` DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
//: if accounts
    `ownerId` INTEGER NOT NULL,
//: else
    `isArchived` BOOLEAN NOT NULL DEFAULT false,
//: end

    PRIMARY KEY (`id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE {{collation}};
//: if accounts
//: include all/users.sql
//: end
//: include all/user-keys.sql
