import helper from "@prisma/generator-helper";
import { generate, manifest } from "./generator.js";

helper.generatorHandler({ onManifest: () => manifest, onGenerate: generate });
