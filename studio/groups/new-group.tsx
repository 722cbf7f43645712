import { MultiSelect, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { call } from '../api/client.js';
import { useAgents } from '../api/queries.js';
import type { Group } from '../api/types.js';
import { Form, FormDialog } from '../parts/form.js';

/** Puts agents into a new group. */
export function NewGroup({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <FormDialog title="New group" isOpen={isOpen} onClose={onClose}>
      <NewGroupForm onClose={onClose} />
    </FormDialog>
  );
}

function NewGroupForm({ onClose }: { readonly onClose: () => void }) {
  const [description, setDescription] = useState('');
  const [members, setMembers] = useState<string[]>([]);
  const [order, setOrder] = useState('round_robin');
  const [leader, setLeader] = useState<string | null>(null);
  const choice = useAgentChoice();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const creation = useMutation({
    mutationFn: () =>
      call<Group>('/v1/groups', {
        body: {
          description,
          agent_ids: members,
          manager_config:
            order === 'round_robin'
              ? { manager_type: order }
              : { manager_type: order, manager_agent_id: leader },
        },
      }),
    onSuccess: ({ id }) => {
      onClose();
      void queries.invalidateQueries({ queryKey: ['groups'] });
      void navigate(`/groups/${id}`);
    },
  });
  const isReady =
    description.trim() !== '' && members.length > 0 && (order === 'round_robin' || leader !== null);
  return (
    <Form
      submit="Create"
      isReady={isReady}
      isPending={creation.isPending}
      error={creation.error}
      onSubmit={() => creation.mutate()}
    >
      <TextInput
        label="What it is for"
        data-autofocus
        value={description}
        placeholder="Plan the trip"
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <MultiSelect
        label="Agents"
        size="xs"
        searchable
        searchValue={choice.search}
        onSearchChange={choice.setSearch}
        data={choice.options}
        value={members}
        onChange={setMembers}
      />
      <Select
        label="Who speaks"
        allowDeselect={false}
        data={[
          { value: 'round_robin', label: 'One after another' },
          { value: 'dynamic', label: 'One agent decides who is next' },
          { value: 'supervisor', label: 'One agent leads and asks the others' },
        ]}
        value={order}
        onChange={(value) => setOrder(value ?? 'round_robin')}
      />
      {order !== 'round_robin' && (
        <Select
          label="Which one"
          searchable
          data={choice.options.filter(({ value }) => !members.includes(value))}
          value={leader}
          onChange={setLeader}
        />
      )}
    </Form>
  );
}

/** Finds agents by a part of their name. Agents that were found stay in the list, so that a chosen one keeps its name. */
function useAgentChoice() {
  const [search, setSearch] = useState('');
  const [asked] = useDebouncedValue(search.trim(), 200);
  const { data } = useAgents(asked);
  const [known, setKnown] = useState<ReadonlyMap<string, string>>(new Map());
  const options = useMemo(() => {
    const found = data?.pages.flat().map(({ id, name }) => [id, name] as const) ?? [];
    return new Map([...known, ...found]);
  }, [data, known]);
  return {
    search,
    setSearch: (text: string) => {
      setKnown(options);
      setSearch(text);
    },
    options: [...options].map(([value, label]) => ({ value, label: label })),
  };
}
