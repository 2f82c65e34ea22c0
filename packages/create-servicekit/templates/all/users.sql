
-- CreateTable
CREATE TABLE `User` (
    `id` INTEGER NOT NULL AUTO_INCREMENT,
    `email` VARCHAR(254) NOT NULL,
    `name` VARCHAR(80) NOT NULL,
    `password` VARCHAR(72) NOT NULL,
    `isSuperUser` BOOLEAN NOT NULL DEFAULT false,
    `passwordChangedAt` DATETIME(3) NULL,
//: if static
    `role` ENUM('MEMBER', 'STAFF') NOT NULL DEFAULT 'MEMBER',
//: end

    UNIQUE INDEX `User_email_key`(`email`),
    PRIMARY KEY (`id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE {{collation}};
//: if dynamic

-- CreateTable
CREATE TABLE `AuthRole` (
    `id` INTEGER NOT NULL AUTO_INCREMENT,
    `name` VARCHAR(40) NOT NULL,

    UNIQUE INDEX `AuthRole_name_key`(`name`),
    PRIMARY KEY (`id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE {{collation}};

-- CreateTable
CREATE TABLE `AuthPermission` (
    `id` INTEGER NOT NULL AUTO_INCREMENT,
    `resource` VARCHAR(60) NOT NULL,
    `action` VARCHAR(40) NOT NULL,
    `roleId` INTEGER NOT NULL,

    UNIQUE INDEX `AuthPermission_roleId_resource_action_key`(`roleId`, `resource`, `action`),
    PRIMARY KEY (`id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE {{collation}};

-- CreateTable
CREATE TABLE `_AuthRoleToUser` (
    `A` INTEGER NOT NULL,
    `B` INTEGER NOT NULL,

    UNIQUE INDEX `_AuthRoleToUser_AB_unique`(`A`, `B`),
    INDEX `_AuthRoleToUser_B_index`(`B`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE {{collation}};
//: end
