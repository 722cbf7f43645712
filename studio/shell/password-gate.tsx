import { Button, Center, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError, call, forgetPassword, onPasswordAsked, setPassword } from '../api/client.js';

/** Asks for the server's password when the server does, and shows the studio once it is right. */
export function PasswordGate({ children }: { readonly children: ReactNode }) {
  const [isAsked, setAsked] = useState(false);
  const queries = useQueryClient();
  useEffect(() => onPasswordAsked(() => setAsked(true)), []);
  if (!isAsked) return children;
  return (
    <PasswordForm
      onDone={() => {
        queries.clear();
        setAsked(false);
      }}
    />
  );
}

function PasswordForm({ onDone }: { readonly onDone: () => void }) {
  const [password, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const check = async (): Promise<void> => {
    setBusy(true);
    setPassword(password);
    try {
      await call('/v1/agents?limit=1');
      onDone();
    } catch (error) {
      forgetPassword();
      setProblem(
        error instanceof ApiError && error.status === 401
          ? 'That is not the password. It is LETTA_SERVER_PASSWORD where the server runs.'
          : (error as Error).message,
      );
    } finally {
      setBusy(false);
    }
  };
  return (
    <Center component="main" mih="100dvh" p="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void check();
        }}
      >
        <Stack w={320} gap="sm">
          <Title order={1}>perdure</Title>
          <Text size="sm" c="dimmed">
            This server has a password.
          </Text>
          <PasswordInput
            label="Password"
            autoFocus
            value={password}
            error={problem}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" size="sm" loading={isBusy} disabled={password === ''}>
            Open the studio
          </Button>
        </Stack>
      </form>
    </Center>
  );
}
