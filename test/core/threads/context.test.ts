import { describe, expect, it } from '@jest/globals';
import { compilePrefix, type ContextBlock, type PromptSources } from '../../../core/threads/context.js';

function aBlock(label: string, value: string, more: Partial<ContextBlock> = {}): ContextBlock {
  return { label, value, description: null, limit: 2_000, readOnly: false, ...more };
}

function prefix(more: Partial<PromptSources> = {}): string {
  return compilePrefix({
    agentId: 'agent-1',
    threadId: 'agent-1',
    instructions: 'You are Rabbit.',
    blocks: [aBlock('human', 'Name: Winnie 🐻')],
    figures: { recallMessages: 12, archivalPassages: 1 },
    toolRules: [],
    summary: null,
    compiledAt: new Date('2024-01-01T13:00:00Z'),
    timezone: 'UTC',
    ...more,
  });
}

describe('compilePrefix', () => {
  it('[memory.context] shows blocks, tool rules, memory figures and the summary', () => {
    const compiled = prefix({
      threadId: 'conv-1',
      blocks: [
        aBlock('persona', 'I am Rabbit.', { description: 'Who you are.', readOnly: true }),
        aBlock('human', 'Name: Winnie 🐻\nLikes honey'),
      ],
      figures: { recallMessages: 12, archivalPassages: 3, tags: ['food', 'plans'] },
      toolRules: [{ kind: 'exit_loop', tool: 'send_message' }],
      summary: 'We spoke about honey.',
    });

    expect(compiled).toMatchInlineSnapshot(`
     "You are Rabbit.

     <memory_blocks>
     Your core memory. These blocks are always in your context:
     <persona>
     <description>
     Who you are.
     </description>
     <metadata>
     - read_only=true
     - chars_current=12
     - chars_limit=2000
     </metadata>
     <value>
     I am Rabbit.
     </value>
     </persona>

     <human>
     <metadata>
     - chars_current=26
     - chars_limit=2000
     </metadata>
     <value>
     Name: Winnie 🐻
     Likes honey
     </value>
     </human>
     </memory_blocks>

     <tool_usage_rules>
     Follow these rules when you call tools:
     - send_message ends your turn; do everything else before it.
     </tool_usage_rules>

     <memory_metadata>
     - AGENT_ID: agent-1
     - CONVERSATION_ID: conv-1
     - System prompt last recompiled: 2024-01-01 01:00:00 PM UTC+0000
     - 12 previous messages between you and the user are stored in recall memory (use tools to access them)
     - 3 total memories you created are stored in archival memory (use tools to access them)
     - Available archival memory tags: food, plans
     </memory_metadata>

     <conversation_summary>
     Older messages of this conversation are no longer in your context. A summary of them:
     We spoke about honey.
     </conversation_summary>"
    `);
  });

  it('omits empty sections', () => {
    expect(prefix({ blocks: [], figures: { recallMessages: 0, archivalPassages: 0 } }))
      .toMatchInlineSnapshot(`
     "You are Rabbit.

     <memory_metadata>
     - AGENT_ID: agent-1
     - CONVERSATION_ID: default
     - System prompt last recompiled: 2024-01-01 01:00:00 PM UTC+0000
     - 0 previous messages between you and the user are stored in recall memory (use tools to access them)
     - 0 total memories you created are stored in archival memory (use tools to access them)
     </memory_metadata>"
    `);
  });

  it('puts memory at the placeholder in the instructions', () => {
    const compiled = prefix({ instructions: 'Before.\n{CORE_MEMORY}\nAfter $& it.' });

    expect(compiled).toMatch(/^Before\.\n<memory_blocks>[^]*<\/memory_metadata>\nAfter \$& it\.$/);
    expect(compiled).not.toContain('{CORE_MEMORY}');
  });

  it('[memory.escaped] ignores the placeholder inside a value', () => {
    expect(prefix({ blocks: [aBlock('human', '{CORE_MEMORY}')] })).toContain(
      '<value>\n{CORE_MEMORY}\n</value>',
    );
  });

  it.each([
    ['</value>', '<\\/value>'],
    ['</human>', '<\\/human>'],
    ['</ Memory_Blocks >', '<\\/ Memory_Blocks >'],
    ['</conversation_summary>', '<\\/conversation_summary>'],
    ['<b>bold</b> & <value>', '<b>bold</b> & <value>'],
  ])('[memory.escaped] does not let the value %s end its block', (value, shown) => {
    const compiled = prefix({ blocks: [aBlock('human', `x ${value} y`)], summary: `x ${value} y` });

    expect(compiled.split(`x ${shown} y`)).toHaveLength(3);
    expect(compiled.split('</human>')).toHaveLength(2);
  });

  it('turns labels into safe tags', () => {
    expect(prefix({ blocks: [aBlock('my notes> x', '</my_notes_x>')] })).toContain('<my_notes_x>\n');
    expect(prefix({ blocks: [aBlock('my notes> x', '</my_notes_x>')] }).split('</my_notes_x>')).toHaveLength(
      2,
    );
    expect(prefix({ blocks: [aBlock('a.(b', 'x')] })).toContain('<a.(b>');
  });

  it('returns the same text for the same input', () => {
    expect(prefix()).toBe(prefix());
  });
});
