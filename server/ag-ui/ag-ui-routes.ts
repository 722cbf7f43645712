import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { streamUi } from '../ai-sdk/chat-stream.js';
import { describeRoute } from '../http/route-documentation.js';
import { toSse } from '../streams/sse.js';
import { requireThread } from '../threads/thread-lookup.js';
import { toTurnStream } from '../turns/replies.js';
import { sendMessages } from '../turns/sending.js';
import { createAgUiWriter } from './events-wire.js';
import { runBody, toRunSend } from './run-requests-wire.js';

/** Runs of AG-UI: what its `HttpAgent` sends and reads. */
export function agUiRoutes(app: App, context: RouteContext): void {
  app.post(
    '/v1/ag-ui',
    {
      schema: {
        ...describeRoute('ag_ui.run', 'Send a run’s last message and stream the answer as events of AG-UI'),
        body: runBody,
      },
    },
    async (request, reply) => {
      const { threadId, runId } = request.body;
      const thread = await requireThread(context.db, threadId, null);
      const { body, key, shown } = toRunSend(request.body);
      const { url, toolCaller } = request;
      const headers = { 'idempotency-key': key, ...request.headers };
      const mode = { streamTokens: true, background: false, threadId: thread.threadId };
      const turn = await sendMessages(context, { url, toolCaller, headers }, thread.agent, body, mode);
      const reading = { agent: thread.agent, turn, pings: false, startingAfter: 0 };
      const chat = { stream: toTurnStream(context, request, reading), messageId: turn.id, shown };
      const writer = createAgUiWriter({ threadId, runId });
      return context.streams.send(reply, {
        source: async function* (signal, onBroken) {
          for await (const chunk of streamUi({ ...context, onBroken }, chat, signal)) {
            for (const event of writer.write(chunk)) yield toSse(event);
          }
        },
        ids: { runId: turn.id },
      });
    },
  );
}
