//: if accounts

-- AddForeignKey
ALTER TABLE `{{Model}}` ADD CONSTRAINT `{{Model}}_ownerId_fkey` FOREIGN KEY (`ownerId`) REFERENCES `User`(`id`) ON DELETE CASCADE ON UPDATE CASCADE;
//: end
//: if dynamic

-- AddForeignKey
ALTER TABLE `AuthPermission` ADD CONSTRAINT `AuthPermission_roleId_fkey` FOREIGN KEY (`roleId`) REFERENCES `AuthRole`(`id`) ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE `_AuthRoleToUser` ADD CONSTRAINT `_AuthRoleToUser_A_fkey` FOREIGN KEY (`A`) REFERENCES `AuthRole`(`id`) ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE `_AuthRoleToUser` ADD CONSTRAINT `_AuthRoleToUser_B_fkey` FOREIGN KEY (`B`) REFERENCES `User`(`id`) ON DELETE CASCADE ON UPDATE CASCADE;
//: end
