//: if none
import { IsBoolean, IsInt, IsOptional, Max, Min } from "class-validator";
//: else
import { IsInt, IsOptional, Max, Min } from "class-validator";
//: end

/** Validation of bodies, in addition to the rules of the columns. */
export class CreateOrderDto {
  @IsInt()
  @Min(1)
  @Max(100)
  quantity!: number;

  @IsInt()
  productId!: number;
}

export class UpdateOrderDto {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100)
  quantity?: number;
//: if none

  @IsOptional()
  @IsBoolean()
  isArchived?: boolean;
//: end
}

// The names under which the module's schemas are found.
export { CreateOrderDto as create, UpdateOrderDto as update };
