import '@mantine/core/styles.css';
import './shell/page.css';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter, Route, Routes } from 'react-router';
import { AgentPage } from './agents/agent-page.js';
import { AgentsPage } from './agents/agents-page.js';
import { ApiError } from './api/client.js';
import { Loading, NotFound } from './parts/states.js';
import { PasswordGate } from './shell/password-gate.js';
import { Shell } from './shell/shell.js';
import { theme } from './theme.js';

const GroupPage = lazy(async () => ({ default: (await import('./groups/group-page.js')).GroupPage }));
const GroupsPage = lazy(async () => ({ default: (await import('./groups/groups-page.js')).GroupsPage }));

/** Wrong requests stay wrong; a server that is away comes back. */
function isWorthAnotherTry(_count: number, error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 503);
}

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: isWorthAnotherTry,
      retryDelay: (count) => Math.min(500 * 2 ** count, 5_000),
      staleTime: 2_000,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

/** The page's nonce, which the content security policy lets Mantine's one style element have. */
function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
}

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element #root');
createRoot(root).render(
  <QueryClientProvider client={queries}>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <PasswordGate>
        <BrowserRouter>
          <Suspense fallback={<Loading />}>
            <Routes>
              <Route element={<Shell />}>
                <Route index element={<AgentsPage />} />
                <Route path="agents" element={<AgentsPage />} />
                <Route path="agents/:agentId/:tab?/*" element={<AgentPage />} />
                <Route path="groups" element={<GroupsPage />} />
                <Route path="groups/:groupId" element={<GroupPage />} />
                <Route path="*" element={<NotFound what="page" />} />
              </Route>
            </Routes>
          </Suspense>
        </BrowserRouter>
      </PasswordGate>
    </MantineProvider>
  </QueryClientProvider>,
);
