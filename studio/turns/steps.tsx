import { Button, Group, Table, Text } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { useFork } from '../agents/forking.js';
import { toDollars } from '../../core/models/dollars.js';
import { ShortId } from '../parts/short-id.js';
import type { StepDetails } from './queries.js';
import { StepRequest } from './step-request.js';

/** The steps of a turn with their tokens and, where it is known, their cost, and the request of the one that the address names. */
export function Steps({
  steps,
  agentId,
}: {
  readonly steps: readonly StepDetails[];
  readonly agentId: string;
}) {
  const [params, setParams] = useSearchParams();
  const shown = params.get('request');
  const place = steps.findIndex(({ step }) => step.id === shown);
  const show = (stepId: string | undefined): void =>
    setParams(stepId === undefined ? {} : { request: stepId }, { replace: true });
  if (steps.length === 0) return null;
  const isPriced = steps.some(({ step }) => step.cost !== null);
  return (
    <>
      <Table.ScrollContainer minWidth={560}>
        <Table verticalSpacing={4} mb="md" fz="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Step</Table.Th>
              <Table.Th>Model</Table.Th>
              <Table.Th ta="right">Prompt</Table.Th>
              <Table.Th ta="right">of it cached</Table.Th>
              <Table.Th ta="right">Answer</Table.Th>
              {isPriced && <Table.Th ta="right">Cost</Table.Th>}
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {steps.map(({ step }, index) => (
              <Table.Tr key={step.id}>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>
                  {index + 1} <ShortId id={step.id} />
                </Table.Td>
                <Table.Td>{step.model_handle}</Table.Td>
                <Table.Td ta="right">{step.prompt_tokens.toLocaleString('en')}</Table.Td>
                <Table.Td ta="right">{step.cached_input_tokens.toLocaleString('en')}</Table.Td>
                <Table.Td ta="right">{step.completion_tokens.toLocaleString('en')}</Table.Td>
                {isPriced && <Table.Td ta="right">{toDollars(step.cost)}</Table.Td>}
                <Table.Td>
                  <Group gap={2} justify="flex-end" wrap="nowrap">
                    <Button
                      size="compact-xs"
                      variant={step.id === shown ? 'light' : 'subtle'}
                      aria-pressed={step.id === shown}
                      onClick={() => show(step.id === shown ? undefined : step.id)}
                    >
                      Request
                    </Button>
                    <ForkAfter stepId={step.id} agentId={agentId} />
                  </Group>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {shown !== null && place !== -1 && (
        <StepRequest key={shown} stepId={shown} title={`step ${place + 1}`} onClose={() => show(undefined)} />
      )}
    </>
  );
}

function ForkAfter({ stepId, agentId }: { readonly stepId: string; readonly agentId: string }) {
  const fork = useFork(agentId);
  return (
    <>
      {fork.error !== null && (
        <Text size="xs" c="red" role="alert">
          {fork.error.message}
        </Text>
      )}
      <Button
        size="compact-xs"
        variant="subtle"
        loading={fork.isPending}
        onClick={() => fork.mutate({ step_id: stepId })}
      >
        Fork after it
      </Button>
    </>
  );
}
