import { parameters, type BuiltinTool } from './builtin-tool.js';

/** Sends a message to the user, for agents whose plain text is not shown. */
export const sendMessage: BuiltinTool = {
  name: 'send_message',
  toolType: 'letta_core',
  description: 'Sends a message to the human user. It is the only way in which they see anything from you.',
  parameters: parameters({
    message: { type: 'string', description: 'What you say. All unicode (including emojis) is supported.' },
  }),
  tags: ['letta_core'],
  effect: 'transactional',
  terminal: true,
};

/** Tools by which agents speak, each with the argument that holds the words. */
export type SpeakingTools = ReadonlyMap<string, string>;

/** The runtime's own speaking tools. */
export const speakingTools: SpeakingTools = new Map([[sendMessage.name, 'message']]);
