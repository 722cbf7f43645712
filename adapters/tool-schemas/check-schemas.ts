import { createHash } from 'node:crypto';
import type { JsonSchemaObject } from '../../core/models/model.js';
import { createRecent } from '../../core/recently-used.js';
import { sizeFault } from '../../core/tools/schema-bounds.js';
import { createChecker, type SchemaAnswer, type SchemaQuestion } from './checker.js';
import { answer as answerHere } from './schema-answers.mjs';

/** Arguments with types cast and defaults added; or what is wrong, for their author. */
export type CheckedArguments =
  | { readonly ok: true; readonly args: Record<string, unknown> }
  | { readonly ok: false; readonly faults: string };

/** What checks schemas and arguments that others wrote, in threads. */
export interface SchemaChecks {
  /**
   * Why calls can't be checked against a tool's schema, as the end of a sentence about the schema; undefined where they
   * can. The schema is compiled in a thread, within limits of time and memory.
   */
  readonly findSchemaFault: (parameters: JsonSchemaObject) => Promise<string | undefined>;
  /** Checks arguments against a tool's schema in a thread, with a time limit: a pattern may take years. */
  readonly checkArguments: (
    parameters: JsonSchemaObject,
    args: Readonly<Record<string, unknown>>,
  ) => Promise<CheckedArguments>;
}

/** The time that a schema or its arguments may take, in ms. */
const usualMs = 2_000;

/** Checks with threads of their own. `mostMs`: the time that a schema or its arguments may take. */
export function createSchemaChecks(mostMs = usualMs): SchemaChecks {
  // Schemas that once took too long use a thread of their own, so that they delay only each other.
  const usual = createChecker(mostMs);
  const apart = createChecker(mostMs);
  const slow = createRecent<string, true>(1_000);

  const ask = async (question: SchemaQuestion): Promise<SchemaAnswer | undefined> => {
    const key = createHash('sha256').update(question.schema).digest('base64url');
    if (slow.get(key) === true) return apart.ask(question);
    const answer = await usual.ask(question);
    if (answer === undefined) slow.set(key, true);
    return answer;
  };
  return {
    async findSchemaFault(parameters) {
      const size = sizeFault(parameters);
      if (size !== undefined) return size;
      const answer = await ask({ schema: JSON.stringify(parameters) });
      if (answer === undefined) return `takes too long to be read. ${simpler}`;
      return answer.kind === 'unusable' ? `can't be used: ${answer.fault}` : undefined;
    },
    async checkArguments(parameters, args) {
      const size = sizeFault(parameters);
      if (size !== undefined) return { ok: false, faults: `the schema itself ${size}` };
      const answer = await ask({ schema: JSON.stringify(parameters), args: JSON.stringify(args) });
      return toChecked(answer);
    },
  };
}

/** The checks of this process. */
export const { findSchemaFault, checkArguments } = createSchemaChecks();

/** Checks arguments against a schema of the runtime's own, which needs no thread: nobody else wrote it. */
export function checkOwnArguments(
  parameters: JsonSchemaObject,
  args: Readonly<Record<string, unknown>>,
): CheckedArguments {
  return toChecked(answerHere(JSON.stringify(parameters), JSON.stringify(args)));
}

function toChecked(answer: SchemaAnswer | undefined): CheckedArguments {
  switch (answer?.kind) {
    case undefined:
      return { ok: false, faults: `they could not be checked in time. ${shorter}` };
    case 'fits':
      return { ok: true, args: JSON.parse(answer.args ?? '{}') as Record<string, unknown> };
    case 'unfit':
      return { ok: false, faults: answer.faults.join('; ') };
    case 'unusable':
      return { ok: false, faults: `the schema itself can't be used: ${answer.fault}` };
  }
}

const simpler = 'Use fewer references and lists of alternatives';
const shorter = 'A pattern or a reference in the schema takes too long for these values: use shorter ones';
