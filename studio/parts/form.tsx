import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Problem } from './states.js';

interface FormDialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog with a form, which is empty each time it opens. */
export function FormDialog({ title, isOpen, onClose, children }: FormDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} size="lg" transitionProps={{ duration: 0 }}>
      {isOpen && children}
    </Modal>
  );
}

interface FormProps {
  /** Its name for screen readers, where no title stands above it. */
  readonly name?: string;
  /** What the button says that sends it. */
  readonly submit: string;
  readonly isReady?: boolean;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onSubmit: () => void;
  /** Another button, at the other end of the row. */
  readonly otherButton?: ReactNode;
  readonly children: ReactNode;
}

/** Fields, what went wrong when they were sent, and the button that sends them. */
export function Form({ name, submit, isReady = true, isPending, error, onSubmit, ...rest }: FormProps) {
  const { otherButton, children } = rest;
  return (
    <form
      aria-label={name}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Stack gap="sm">
        {children}
        {error !== null && <Problem error={error} />}
        <Group justify={otherButton === undefined ? 'flex-end' : 'space-between'}>
          {otherButton}
          <Button type="submit" disabled={!isReady} loading={isPending}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
