//: if none
import { IsBoolean, IsOptional, IsString, Length } from "class-validator";
//: else
import { IsOptional, IsString, Length } from "class-validator";
//: end

/** Validation of bodies, in addition to the rules of the columns. */
export class CreateNoteDto {
  @IsString()
  @Length(1, 2000)
  text!: string;
}

export class UpdateNoteDto {
  @IsOptional()
  @IsString()
  @Length(1, 2000)
  text?: string;
//: if none

  @IsOptional()
  @IsBoolean()
  isArchived?: boolean;
//: end
}

// The names under which the module's schemas are found.
export { CreateNoteDto as create, UpdateNoteDto as update };
