import { IsBoolean, IsOptional, IsString, Length } from "class-validator";

/** Validation of bodies, in addition to the rules of the columns. */
export class CreatePostDto {
  @IsString()
  @Length(3, 160)
  title!: string;

  @IsString()
  @Length(1, 50_000)
  content!: string;

  @IsOptional()
  @IsBoolean()
  isPublished?: boolean;
}

export class UpdatePostDto {
  @IsOptional()
  @IsString()
  @Length(3, 160)
  title?: string;

  @IsOptional()
  @IsString()
  @Length(1, 50_000)
  content?: string;

  @IsOptional()
  @IsBoolean()
  isPublished?: boolean;
//: if none

  @IsOptional()
  @IsBoolean()
  isArchived?: boolean;
//: end
}

// The names under which the module's schemas are found.
export { CreatePostDto as create, UpdatePostDto as update };
