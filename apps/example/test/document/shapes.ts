/** Shapes that random schemas lack: overlapping foreign keys, several relations, native types, views, schemas. */
export const shapes = `
generator client {
  provider        = "prisma-client"
  output          = "./client"
  previewFeatures = ["views"]
}

datasource db {
  provider = "postgresql"
  schemas  = ["public", "archive"]
}

enum Mood {
  CALM  @map("calm and quiet")
  WILD
  @@schema("public")
}

model Tenant {
  id      Int      @id
  name    String   @unique
  people  Person[]
  tickets Ticket[]
  desks   Desk[]
  @@schema("public")
}

model Desk {
  tenantId Int
  id       Int
  label    String?
  tenant   Tenant  @relation(fields: [tenantId], references: [id])
  @@id([tenantId, id])
  @@schema("public")
}

model Word {
  text String @id @db.VarChar(8)
  note String?
  @@schema("public")
}

model Person {
  tenantId Int
  number   Int
  name     String   @db.VarChar(12)
  tenant   Tenant   @relation(fields: [tenantId], references: [id])
  opened   Ticket[] @relation("opened")
  solved   Ticket[] @relation("solved")
  @@id([tenantId, number])
  @@schema("public")
}

model Ticket {
  id         Int      @id @default(autoincrement())
  tenantId   Int
  openerId   Int
  solverId   Int?
  parentId   Int?
  title      String
  mood       Mood     @default(CALM)
  moods      Mood[]
  tags       String[]
  extra      Json?
  facts      Json[]
  tenant     Tenant   @relation(fields: [tenantId], references: [id])
  opener     Person   @relation("opened", fields: [tenantId, openerId], references: [tenantId, number])
  solver     Person?  @relation("solved", fields: [tenantId, solverId], references: [tenantId, number], onDelete: Restrict)
  parent     Ticket?  @relation("parts", fields: [parentId], references: [id])
  parts      Ticket[] @relation("parts") /// @writable
  notes      Note[]   /// @writable
  @@schema("public")
}

model Note {
  id       String @id @default(uuid()) @db.Uuid
  ticketId Int
  text     String @db.Char(5)
  ticket   Ticket @relation(fields: [ticketId], references: [id])
  @@schema("archive")
}

model Kinds {
  id      BigInt    @id @default(autoincrement())
  uuid    String    @db.Uuid
  inet    String    @db.Inet
  bit     String    @db.Bit(3)
  varBit  String?   @db.VarBit(5)
  small   Int       @db.SmallInt
  oid     Int       @db.Oid
  big     BigInt
  real    Float     @db.Real
  double  Float?
  money   Decimal   @db.Money
  price   Decimal   @db.Decimal(10, 2)
  rate    Decimal?  @db.Decimal(3, 3)
  whole   Decimal   @db.Decimal(5, 0)
  any     Decimal?
  day     DateTime  @db.Date
  time    DateTime  @db.Time(3)
  moment  DateTime  @db.Timestamptz(0)
  bytes   Bytes
  limit   Int?
  numbers Int[]
  prices  Decimal[] @db.Decimal(6, 1)
  days    DateTime[] @db.Date
  @@schema("public")
}

view Quiet {
  id    Int    @unique
  title String
  @@schema("public")
}
`;
