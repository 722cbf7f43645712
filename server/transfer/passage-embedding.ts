import type { Transfer, TransferredPassage } from '../../core/transfer/transfer.js';
import type { ServerDeps } from '../deps.js';

/** How many texts are embedded in one call. */
const batch = 64;

/**
 * Embeds all passages of a transfer with another model. Without a handle they keep the vectors of the file. Throws what the
 * embedder throws.
 */
export async function embedPassages(
  { embeddings }: Pick<ServerDeps, 'embeddings'>,
  transfer: Transfer,
  handle: string | undefined,
): Promise<Transfer> {
  if (handle === undefined) return transfer;
  const embedder = embeddings.resolve(handle);
  const { handle: model } = embedder.description;
  const embed = async (passages: readonly TransferredPassage[]): Promise<readonly TransferredPassage[]> => {
    const embedded: TransferredPassage[] = [];
    for (let from = 0; from < passages.length; from += batch) {
      const some = passages.slice(from, from + batch);
      const stale = some.filter((passage) => passage.embedding?.model !== model);
      const vectors = stale.length === 0 ? [] : await embedder.embed(stale.map((passage) => passage.text));
      const fresh = new Map(stale.map((passage, index) => [passage, vectors[index]]));
      for (const passage of some) {
        const vector = fresh.get(passage);
        embedded.push(vector === undefined ? passage : { ...passage, embedding: { model, vector } });
      }
    }
    return embedded;
  };
  const archives = [];
  for (const archive of transfer.archives) {
    archives.push({ ...archive, passages: await embed(archive.passages) });
  }
  const sources = [];
  for (const source of transfer.sources) {
    const files = [];
    for (const file of source.files) files.push({ ...file, passages: await embed(file.passages) });
    sources.push({ ...source, files });
  }
  return { ...transfer, archives, sources };
}
