#!/usr/bin/env node
import "@servicekit/prisma/servicekit-prisma";
