import { expect, it } from "vitest";
import { isSecretFieldName } from "./secret-field-name.js";

it.each([
  ...["passwordHash", "password_hash", "PasswordHash", "PASSWORD_HASH", "passwordhash", "userPasswordHash"],
  ...["hashedPassword", "hashed_password", "userPassword", "password2", "passwordDigest", "oldPassword"],
  ...["passwd", "pwd", "user_pwd", "pwdHash", "otp", "otpCode", "totp", "totpSecret", "totp_secret"],
  ...["secret", "secrets", "clientSecret", "client_secret", "secretKey", "secretAccessKey", "awsSecretAccessKey"],
  ...["apiKey", "apiKeys", "APIKey", "API_KEY", "apikey", "api_key_hash", "stripeApiKey", "apiKey2", "apiKeySha256"],
  ...["accessToken", "access_token", "accessTokens", "refreshToken", "refresh_token_hash", "resetToken"],
  ...["passwordResetToken", "salt", "passwordSalt", "password_salt", "saltHex", "_secret", "secret_"],
])("reads %s as the name of a secret", (name) => {
  expect(isSecretFieldName(name)).toBe(true);
});

it.each([
  ...["name", "email", "title", "", "_", "token", "key", "hash", "code"],
  ...["saltLevel", "saltContent", "salt_lake_city", "salted", "basalt", "saltwater", "secretary", "secretSanta"],
  ...["secretaryName", "optOut", "option", "topic", "hotpot", "photos", "laptop", "apiKeyName", "apiKeyId"],
  ...["api_key_prefix", "accessTokenType", "passwordHint", "passwordHashAlgorithm", "resetTokenSentTo", "apiKeyless"],
  ...["accessLevel", "refreshRate", "resetCount", "otpEnabled", "keyApi", "monkeyPwdr"],
])("reads %j as another name", (name) => {
  expect(isSecretFieldName(name)).toBe(false);
});
