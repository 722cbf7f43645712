import { register } from 'tsx/esm/api';

/** Jest does not compile what it starts with: tsx does, and steps aside again. */
export default async function setUp(globalConfig) {
  const unregister = register();
  try {
    const { startTestServers } = await import('./test-servers.ts');
    await startTestServers(globalConfig);
  } finally {
    await unregister();
  }
}
