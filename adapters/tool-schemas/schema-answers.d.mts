import type { SchemaAnswer } from './checker.js';

export function answer(schema: string, args?: string): SchemaAnswer;
