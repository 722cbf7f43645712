import type { Agent } from '../api/types.js';
import { AgentBlocks } from './agent-blocks.js';
import { AgentForm } from './agent-form.js';
import { AgentTools } from './agent-tools.js';
import classes from './settings.module.css';

/** What an agent is made of: its model and instructions, its tools, the blocks of its memory. */
export function SettingsTab({ agent }: { readonly agent: Agent }) {
  return (
    <div className={classes.tab}>
      <AgentForm agent={agent} />
      <AgentTools agent={agent} />
      <AgentBlocks agent={agent} />
    </div>
  );
}
