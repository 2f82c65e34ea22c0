#!/usr/bin/env node
import "@servicekit/orm/servicekit-prisma";
