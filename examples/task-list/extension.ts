import { defineExtension } from '../../core/extensions/extension.js';
import { type Chat, ChatMemory } from '../../core/extensions/memory.js';
import { memoryTool, messagingTool } from '../../core/extensions/tools.js';

const noArguments = { type: 'object', properties: {} } as const;

const taskPush = memoryTool({
  name: 'task_push',
  description: 'Puts a task at the end of your task list.',
  parameters: {
    type: 'object',
    properties: { task: { type: 'string', description: 'The task, in one line.' } },
    required: ['task'],
  },
  sections: ['tasks'],
  edit: ({ task }) => [{ section: 'tasks', kind: 'append', content: String(task) }],
});

const taskPop = memoryTool({
  name: 'task_pop',
  description: 'Takes the first task off your task list, to do it now.',
  parameters: noArguments,
  sections: ['tasks'],
  edit(_arguments, { tasks = '' }) {
    const [first, ...rest] = tasks.split('\n').filter((line) => line !== '');
    if (first === undefined) throw new Error('The task list is empty.');
    return {
      edits: [{ section: 'tasks', kind: 'rewrite', value: rest.join('\n') }],
      result: `Do this now: ${first}`,
    };
  },
});

/** Memory of a chat with a list of tasks, the first of them at the top. */
export class TaskMemory extends ChatMemory {
  static override readonly tools = [...ChatMemory.tools, taskPush, taskPop];

  constructor({ tasks = [], ...chat }: Chat & { readonly tasks?: readonly string[] }) {
    super(chat);
    this.addSection({
      label: 'tasks',
      value: tasks.join('\n'),
      limit: 500,
      description: 'Your tasks, one a line. Edit it with task_push and task_pop.',
    });
  }
}

export default defineExtension({
  name: 'task-list',
  memory: TaskMemory,
  tools: [
    messagingTool({
      name: 'send_voice_message',
      description: 'Says something to the user aloud.',
      parameters: {
        type: 'object',
        properties: {
          text: { type: 'string', description: 'What you say.' },
          mood: { type: 'string', enum: ['calm', 'happy', 'sad'], description: 'How it is to sound.' },
        },
        required: ['text', 'mood'],
      },
      argument: 'text',
    }),
  ],
  // The memory section stays as it is; what is added stands behind it, where it is read last.
  compile: ({ blocks }, base) =>
    blocks.some(({ label }) => label === 'tasks')
      ? `${base}\n\n<task_list_rules>\nDo one task at a time, and tell the user of each that is done.\n</task_list_rules>`
      : base,
  // An agent that has taken a task gets a step to do it, with or without a heartbeat.
  decide: (step, base) =>
    step.calls.some(({ name, status }) => name === 'task_pop' && status === 'success')
      ? { kind: 'continue', reason: { kind: 'extension' } }
      : base,
});
