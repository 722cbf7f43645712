import {
  ActionIcon,
  Anchor,
  AppShell,
  Burger,
  Group,
  Kbd,
  Text,
  Tooltip,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useEffect } from 'react';
import { Link, Outlet, useLocation } from 'react-router';
import { AgentList } from '../agents/agent-list.js';
import { useHealth } from '../api/queries.js';
import { Logo, MoonIcon, SearchIcon, SunIcon } from '../parts/icons.js';
import { Finder } from './finder.js';

/** The frame around every page: the agents at the left, the page at the right. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [isFinding, finder] = useDisclosure();
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);
  useHotkeys([['mod+K', finder.open]], []);
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 260, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      transitionDuration={0}
    >
      <AppShell.Header px="sm" withBorder={false} style={{ borderBottom: 'var(--hairline)' }}>
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Agents" />
            <Logo />
            <Anchor component={Link} to="/" c="inherit" fw={600} underline="never">
              perdure
            </Anchor>
            <ServerState />
          </Group>
          <Group gap={4} wrap="nowrap">
            <Tooltip
              label={
                <>
                  Find an agent, a block, a message <Kbd size="xs">⌘K</Kbd>
                </>
              }
            >
              <ActionIcon variant="subtle" color="gray" onClick={finder.open} aria-label="Find">
                <SearchIcon />
              </ActionIcon>
            </Tooltip>
            <Anchor component={Link} to="/groups" size="sm" c="dimmed" px={6}>
              Groups
            </Anchor>
            <SchemeSwitch />
            <Anchor href="/docs" size="sm" c="dimmed" px={6} visibleFrom="xs">
              API
            </Anchor>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        withBorder={false}
        style={{ borderRight: 'var(--hairline)', background: 'var(--ground)' }}
      >
        <AgentList />
      </AppShell.Navbar>
      <AppShell.Main>
        <Outlet />
      </AppShell.Main>
      <Finder isOpen={isFinding} onClose={finder.close} />
    </AppShell>
  );
}

function ServerState() {
  const { error, isSuccess } = useHealth();
  if (isSuccess || error === null) return null;
  return (
    <Text size="xs" c="red" role="status" truncate>
      {error.message}
    </Text>
  );
}

function SchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const isDark =
    colorScheme === 'dark' ||
    (colorScheme === 'auto' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  return (
    <Tooltip label={isDark ? 'Light' : 'Dark'}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={isDark ? 'Use the light theme' : 'Use the dark theme'}
        onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
      >
        {isDark ? <SunIcon /> : <MoonIcon />}
      </ActionIcon>
    </Tooltip>
  );
}
