import { z } from 'zod';
import type { ExtensionDescription } from '../../core/extensions/extension.js';
import { sendMessage, type SpeakingTools, speakingTools } from '../../core/tools/messaging.js';
import { type Agent, loopStyle, type LoopStyle } from '../../core/agents/agents.js';

/** Fields about how messages are shown, which several requests and queries share. */
export const renderingFields = {
  use_assistant_message: z.boolean().nullish(),
  assistant_message_tool_name: z.string().nullish(),
  assistant_message_tool_kwarg: z.string().nullish(),
};

/** The fields about how a run is shown, as they are stored with the turn for later readers. */
const storedRendering = z.object({
  ...renderingFields,
  include_return_message_types: z.array(z.string()).nullish(),
  include_compaction_messages: z.boolean().nullish(),
  client_tools: z.array(z.string()).nullish(),
});

/** How the messages of one agent are shown to one client. */
export interface Rendering {
  readonly style: LoopStyle;
  readonly timezone: string;
  /** Tools that speak: their calls are shown as the words that they say. */
  readonly speaking: SpeakingTools;
  /** Only these message types; null: all. */
  readonly types: ReadonlySet<string> | null;
  readonly showsCompaction: boolean;
  /** Tools whose calls wait for a person or the client; fragments of these are shown as approval requests. */
  readonly waiting: ReadonlySet<string>;
}

/** The rendering that the fields ask for, with Letta's defaults. */
export function toRendering(
  agent: Pick<Agent, 'agentType' | 'timezone' | 'toolRules'>,
  fields: unknown,
  extensions: readonly ExtensionDescription[],
): Rendering {
  const { data: stored = {} } = storedRendering.safeParse(fields ?? {});
  const types = stored.include_return_message_types;
  return {
    style: loopStyle(agent.agentType),
    timezone: agent.timezone,
    speaking: stored.use_assistant_message === false ? new Map() : speakingIn(stored, extensions),
    types: types == null ? null : new Set(types),
    showsCompaction: stored.include_compaction_messages ?? false,
    waiting: new Set([
      ...agent.toolRules.flatMap((rule) => (rule.kind === 'requires_approval' ? [rule.tool] : [])),
      ...(stored.client_tools ?? []),
    ]),
  };
}

/** The tool that the client names; without one, all tools that speak. */
function speakingIn(
  {
    assistant_message_tool_name: name,
    assistant_message_tool_kwarg: argument,
  }: z.infer<typeof storedRendering>,
  extensions: readonly ExtensionDescription[],
): SpeakingTools {
  const own = extensions.flatMap(({ tools }) =>
    tools.flatMap((tool) => (tool.kind === 'messaging' ? [[tool.name, tool.argument] as const] : [])),
  );
  const all: SpeakingTools = new Map([...speakingTools, ...own]);
  if (name != null) return new Map([[name, argument ?? all.get(name) ?? 'message']]);
  return argument == null ? all : new Map([...all, [sendMessage.name, argument]]);
}
