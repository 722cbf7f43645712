import type { Agent } from '../api/types.js';

export function RecallTab({ agent }: { readonly agent: Agent }) {
  return <p>{agent.name}</p>;
}
