import { loadEnvironment, readSettings } from '../adapters/settings/settings.js';

/** Ends the program, and says what to set, where no model is named that could do what the example asks for. */
export function requireModel(): void {
  const { model } = readSettings(loadEnvironment());
  if (model !== undefined && model !== 'perdure/demo') return;
  const found = model === undefined ? 'none is set' : `${model} only follows a few rules`;
  process.stderr.write(
    `This example needs a model that calls tools, and ${found}: name one here and for the stack, ` +
      'as PERDURE_MODEL=openai/gpt-4o-mini, with its provider’s key (OPENAI_API_KEY=…) for the stack.\n',
  );
  process.exit(1);
}
