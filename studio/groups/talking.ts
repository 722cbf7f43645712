import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, events } from '../api/client.js';
import type { Message } from '../api/types.js';

/** A talk under way: what its stream told so far, and how to begin one. */
export interface GroupTalk {
  readonly live: readonly Message[];
  readonly isBusy: boolean;
  readonly problem: Error | null;
  readonly say: (text: string) => void;
}

type StreamEvent = { readonly message_type?: string; readonly detail?: string; readonly message?: string };

/** Says something to a group and follows what its agents answer. A lost stream loses nothing: the list has it all. */
export function useTalk(groupId: string): GroupTalk {
  const [live, setLive] = useState<readonly Message[]>([]);
  const queries = useQueryClient();
  const talk = useMutation({
    mutationFn: async (text: string) => {
      setLive([]);
      const body = { messages: [{ role: 'user', content: text }], stream_tokens: true };
      for await (const { data } of events(`/v1/groups/${groupId}/messages/stream`, { body })) {
        if (data === '[DONE]') return;
        const event = JSON.parse(data) as StreamEvent;
        if (event.message_type === 'error_message')
          throw new ApiError(500, event.detail ?? event.message ?? 'The talk failed.');
        if (isMessage(event)) setLive((before) => [...before, event]);
      }
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['group', groupId, 'messages'] });
      setLive([]);
    },
  });
  return { live, isBusy: talk.isPending, problem: talk.error, say: talk.mutate };
}

function isMessage(event: StreamEvent): event is StreamEvent & Message {
  return event.message_type?.endsWith('_message') === true && 'id' in event;
}
