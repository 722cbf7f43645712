#!/usr/bin/env node
import { createProcessTerminal } from './process-terminal.js';
import { runCommandLine } from './run.js';

process.exitCode = await runCommandLine(process.argv.slice(2), createProcessTerminal());
