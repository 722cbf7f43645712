import type { Command } from 'commander';
import { addCommand, type Context } from '../command-context.js';
import { toFigure } from '../render/times.js';
import type { Terminal } from '../terminal.js';

interface WireModel {
  readonly handle: string;
  readonly context_window: number;
}

interface WireEmbedding {
  readonly handle: string;
  readonly embedding_dim: number;
}

/** `perdure models` */
export function modelsCommand(program: Command, terminal: Terminal): void {
  const usage = { usage: 'models', description: 'list the models that agents can have' };
  addCommand(program, terminal, usage, models).option('--embedding', 'list embedding models instead');
}

async function models(context: Context, { embedding }: { readonly embedding?: boolean }): Promise<void> {
  if (embedding === true) {
    const found = await context.rest.get<WireEmbedding[]>('/v1/models/embedding');
    const rows = found.map((one) => [one.handle, toFigure(one.embedding_dim)]);
    context.result(found, () => context.table({ head: ['handle', 'dimensions'], figures: [1], rows }));
    return;
  }
  const found = await context.rest.get<WireModel[]>('/v1/models');
  const rows = found.map((one) => [one.handle, toFigure(one.context_window)]);
  context.result(found, () => context.table({ head: ['handle', 'window, in tokens'], figures: [1], rows }));
}
