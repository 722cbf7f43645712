import type { Agent } from '../api/types.js';

export function TurnsTab({ agent }: { readonly agent: Agent }) {
  return <p>{agent.name}</p>;
}
