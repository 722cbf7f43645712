import type { Agent } from '../api/types.js';

export function ContextTab({ agent }: { readonly agent: Agent }) {
  return <p>{agent.name}</p>;
}
