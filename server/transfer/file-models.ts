import type { Transfer } from '../../core/transfer/transfer.js';
import { WorldFailure } from '../../core/failures.js';
import type { ServerDeps } from '../deps.js';
import { findModel } from '../models/model-choice.js';
import { RequestRefusedError } from '../http/problems.js';

/** Handles that replace those of a file. */
interface Instead {
  readonly model?: string | undefined;
  readonly embedding?: string | undefined;
}

/**
 * A transfer with models that this server can call: its own or their replacements. Where it has no embedding model, it gets
 * the server's default. Throws RequestRefusedError (404), which names the model and says what to do.
 */
export function chooseFileModels(deps: ServerDeps, transfer: Transfer, instead: Instead): Transfer {
  const model = instead.model === undefined ? undefined : findModel(deps, { model: instead.model });
  const embeddingOf = (handle: string, whose: string): string =>
    callable(instead.embedding ?? handle, {
      ...{ whose, parameter: 'embedding' },
      find: (wanted) => deps.embeddings.resolve(wanted === '' ? undefined : wanted).description.handle,
    });
  const modelOf = (handle: string, whose: string): string =>
    model ??
    callable(handle, { whose, parameter: 'model', find: (wanted) => findModel(deps, { model: wanted }) });
  return {
    ...transfer,
    agents: transfer.agents.map((agent) => ({
      ...agent,
      model: modelOf(agent.model, `agent '${agent.name}'`),
      embedding: embeddingOf(agent.embedding, `agent '${agent.name}'`),
      threads: agent.threads.map((thread) => {
        const { model: own, ...extras } = thread.extras;
        if (typeof own !== 'string') return thread;
        return { ...thread, extras: { ...extras, model: modelOf(own, `agent '${agent.name}'`) } };
      }),
    })),
    archives: transfer.archives.map((archive) => ({
      ...archive,
      embedding: embeddingOf(archive.embedding, `archive '${archive.name}'`),
    })),
    sources: transfer.sources.map((source) => ({
      ...source,
      embedding: embeddingOf(source.embedding, `source '${source.name}'`),
    })),
  };
}

interface Wanted {
  readonly whose: string;
  readonly parameter: 'model' | 'embedding';
  readonly find: (handle: string) => string | undefined;
}

function callable(handle: string, { whose, parameter, find }: Wanted): string {
  try {
    return find(handle) ?? handle;
  } catch (error) {
    if (!(error instanceof WorldFailure) && !(error instanceof RequestRefusedError)) throw error;
    throw new RequestRefusedError(
      404,
      `NOT_FOUND: The file's ${whose} uses ${handle}. ${error.message} Or import the file with \`${parameter}\` set to one that this server can call.`,
    );
  }
}
