import service from "@servicekit/service";
import { app } from "./app.js";

await service.init(app);
