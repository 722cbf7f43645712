import type { Agent } from '../api/types.js';

export function SleepTab({ agent }: { readonly agent: Agent }) {
  return <p>{agent.name}</p>;
}
