import { generateFixtures } from "./generate-fixtures.js";

/** Tests without a database import what is generated too: a fresh checkout may run them alone. */
export default (): Promise<void> => generateFixtures();
