import { generateFixtures } from "./generate-fixtures.js";

/** Tests without a database import generated files too, and may run alone in a fresh checkout. */
export default (): Promise<void> => generateFixtures();
