#!/usr/bin/env node
import "../dist/generator/run.js";
