// Used only by other packages of this repository. Unstable: it changes without a major version.
export { readNewPassword } from "./credentials/password/check-password.js";
export { readUserModel } from "./users/user-model.js";
