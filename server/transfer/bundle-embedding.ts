import type { Bundle, BundledPassage } from '../../core/transfer/bundle.js';
import type { ServerDeps } from '../deps.js';

/** Texts that are embedded in one call. */
const batch = 64;

/**
 * A bundle whose passages are embedded by another model than the file says, all of them. Where none is named, they keep
 * the vectors that they come with, and nobody is asked. Throws what the embedder throws.
 */
export async function embedBundle(
  { embeddings }: Pick<ServerDeps, 'embeddings'>,
  bundle: Bundle,
  handle: string | undefined,
): Promise<Bundle> {
  if (handle === undefined) return bundle;
  const embedder = embeddings.resolve(handle);
  const { handle: model } = embedder.description;
  const embed = async (passages: readonly BundledPassage[]): Promise<readonly BundledPassage[]> => {
    const embedded: BundledPassage[] = [];
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
  for (const archive of bundle.archives) {
    archives.push({ ...archive, passages: await embed(archive.passages) });
  }
  const sources = [];
  for (const source of bundle.sources) {
    const files = [];
    for (const file of source.files) files.push({ ...file, passages: await embed(file.passages) });
    sources.push({ ...source, files });
  }
  return { ...bundle, archives, sources };
}
