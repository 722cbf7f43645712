import { type Agent, loopStyle } from '../../core/agents/agents.js';
import { type Message, type MessageBody, messageText } from '../../core/threads/messages.js';
import { wordsSaid } from '../../core/threads/spoken-words.js';
import type { SpeakingTools } from '../../core/tools/messaging.js';
import { heardBody } from '../../core/groups/talk-messages.js';
import { listSpeakingTools } from '../../schema/tools/extension-tools.js';
import { getMessages } from '../../schema/threads/messages.js';
import { findTalkOf, type HeardMessage, listHeardIn, listSaidIn } from '../../schema/groups/talk-copies.js';
import { findParticipant } from '../../schema/groups/talk-turns.js';
import type { Talk } from '../../schema/groups/talks.js';
import { doChore } from '../threads/chores.js';
import type { RouteContext } from '../context.js';
import { editMessage, type MessageEditRequest } from '../threads/message-edits.js';
import type { WireMessage } from '../threads/message-shapes-wire.js';

/** A change of words that the group has heard: the old and the new words, and which of several equal ones is meant. */
interface ChangedWords {
  readonly before: string;
  readonly after: string;
  readonly nth: number;
}

/**
 * Changes a message of a group in its own agent's memory and in that of the agents that heard it, once its talk is over.
 * An agent that waits for an approval is changed after the decision. Throws what `editMessage` throws.
 */
export async function editGroupMessage(
  context: RouteContext,
  wish: MessageEditRequest,
): Promise<WireMessage> {
  const { db } = context;
  const [known] = await getMessages(db, [wish.messageId]);
  const talk = known?.turnId == null ? undefined : await findTalkOf(db, known.turnId);
  if (known === undefined || talk === undefined) return editMessage(context, wish);
  await context.talks.result(talk.id);
  const [before = known] = await getMessages(db, [wish.messageId]);
  const isOfUser = before.stepId === null;
  const heard = await listHeardIn(db, talk.id, isOfUser ? before.senderId : before.agentId);
  const shown = await editMessage(context, wish);
  const [after = before] = await getMessages(db, [wish.messageId]);
  const changed = isOfUser
    ? userWords(before, after, heard)
    : await agentWords(context, { agent: wish.agent, talk, before, after });
  const copies = changed.flatMap((words) => copiesOf(words, heard)).filter(({ id }) => id !== before.id);
  await Promise.all(
    copies.map(async ({ id: messageId, threadId, part, text, isHeld }) => {
      const done = { kind: 'edit' as const, messageId, edit: { part, text } };
      if (isHeld) await context.turns.send({ threadId, messages: [], options: { chore: done } });
      else await doChore(context, threadId, done);
    }),
  );
  return shown;
}

type HeardPart = 'user' | 'system';
type HeardCopy = HeardMessage & { readonly part: HeardPart; readonly text: string };

/** The copy in each transcript: every agent hears all that is said, in the same order. */
function copiesOf(
  { before, after, nth }: ChangedWords,
  heard: readonly HeardMessage[],
): readonly HeardCopy[] {
  const alike = heard.filter(({ body }) => messageText(body) === before);
  return [...new Set(alike.map(({ threadId }) => threadId))].flatMap((threadId) => {
    const copy = alike.filter((one) => one.threadId === threadId)[nth];
    const part = copy?.body.kind;
    return copy === undefined || (part !== 'user' && part !== 'system')
      ? []
      : [{ ...copy, part, text: after }];
  });
}

function userWords(before: Message, after: Message, heard: readonly HeardMessage[]): readonly ChangedWords[] {
  // An edit changes the words, which become one part; images stay as they are.
  const first =
    after.body.kind === 'user' || after.body.kind === 'system' ? after.body.content[0] : undefined;
  const words = messageText(before.body);
  const alike = heard.filter(
    ({ threadId, body }) => threadId === before.threadId && messageText(body) === words,
  );
  const nth = alike.findIndex(({ id }) => id === before.id);
  return first?.type === 'text' && nth !== -1 ? [{ before: words, after: first.text, nth }] : [];
}

async function agentWords(
  { db }: RouteContext,
  said: { readonly agent: Agent; readonly talk: Talk; readonly before: Message; readonly after: Message },
): Promise<readonly ChangedWords[]> {
  const { agent, talk, before, after } = said;
  const speaking = await listSpeakingTools(db);
  const speaker = findParticipant(talk.plan, agent.id);
  const toHeard = (text: string): string => messageText(heardBody({ kind: 'agent', speaker, text }));
  const wordsOf = (body: MessageBody): readonly string[] => spokenBy(agent, body, speaking);
  const all = await listSaidIn(db, talk.id, agent.id);
  const earlier = all
    .slice(
      0,
      Math.max(
        0,
        all.findIndex(({ id }) => id === before.id),
      ),
    )
    .flatMap(({ body }) => wordsOf(body));
  const words = wordsOf(after.body);
  const were = wordsOf(before.body);
  return were.flatMap((text, index) => {
    const now = words[index];
    if (now === undefined || now === text) return [];
    const nth = [...earlier, ...were.slice(0, index)].filter((one) => one === text).length;
    return [{ before: toHeard(text), after: toHeard(now), nth }];
  });
}

function spokenBy({ agentType }: Agent, body: MessageBody, speaking: SpeakingTools): readonly string[] {
  return wordsSaid(body, loopStyle(agentType), speaking);
}
